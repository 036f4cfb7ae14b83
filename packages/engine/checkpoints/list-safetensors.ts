import { z } from "zod";
import { type ByteSource, makePart } from "./byte-source.ts";
import { CheckpointError, makeDamagedError } from "./checkpoint-error.ts";
import { checkTensor, type FileTensor, toContiguousStrides } from "./file-tensor.ts";
import { countElements, TENSOR_TYPES, type TensorType } from "./tensor-type.ts";

const LENGTH_BYTES = 8;
/** As the reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number()),
  data_offsets: z.tuple([z.number(), z.number()]),
});

/** The tensors of a safetensors file, without reading their numbers. */
export function listSafetensors(source: ByteSource): FileTensor[] {
  const length = Number(new DataView(source.read(0, LENGTH_BYTES).buffer).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES) throw makeDamagedError(`its header would have ${length} bytes`);
  const header = parseHeader(new TextDecoder().decode(source.read(LENGTH_BYTES, length)));
  const dataStart = LENGTH_BYTES + length;
  const data = makePart(source, dataStart, source.sizeBytes - dataStart);
  return Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, entry]) => toTensor(name, entry, data));
}

function parseHeader(text: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(text);
    return z.record(z.string(), z.unknown()).parse(header);
  } catch (cause) {
    throw makeDamagedError("its header is not JSON", { cause });
  }
}

function toTensor(name: string, entry: unknown, data: ByteSource): FileTensor {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) throw makeDamagedError(`the header has no valid entry for ${name}`);
  const { dtype, shape, data_offsets: offsets } = parsed.data;
  if (!(dtype in TENSOR_TYPES))
    throw new CheckpointError(
      "unsupported",
      `The tensor ${name} has numbers of the type ${dtype}, which no known network uses.`,
    );
  const type = dtype as TensorType;
  const [start, end] = offsets;
  const storage = makePart(data, start, end - start);
  const tensor = { name, shape, dtype: type, storage, offset: 0, strides: toContiguousStrides(shape) };
  checkTensor(tensor);
  if (countElements(shape) * TENSOR_TYPES[type] !== storage.sizeBytes)
    throw makeDamagedError(
      `the tensor ${name} of shape [${shape.join(", ")}] has ${storage.sizeBytes} bytes`,
    );
  return tensor;
}
