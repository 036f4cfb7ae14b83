import { type FieldSpan, findFields } from "../runtime/onnx/protobuf.ts";
import { type ByteSource, makePart } from "./byte-source.ts";
import { CheckpointError, makeDamagedError } from "./checkpoint-error.ts";
import { checkTensor, type FileTensor, toContiguousStrides } from "./file-tensor.ts";
import { countElements, TENSOR_TYPES, type TensorType } from "./tensor-type.ts";

/** The name and shape of what a graph takes or gives; a size that is open is 0. */
export type GraphPort = { name: string; shape: number[] };
export type OnnxFile = { tensors: FileTensor[]; inputs: GraphPort[]; outputs: GraphPort[] };

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH = { initializer: 5, input: 11, output: 12 };
const TENSOR = { dims: 1, type: 2, floats: 4, name: 8, raw: 9, external: 13, location: 14 };
const PORT = { name: 1, type: 2 };

/** Those of onnx.proto's DataType that weights have. */
const TYPES = new Map<number, TensorType>([
  [1, "F32"],
  [2, "U8"],
  [3, "I8"],
  [6, "I32"],
  [7, "I64"],
  [9, "BOOL"],
  [10, "F16"],
  [11, "F64"],
  [16, "BF16"],
]);
const WINDOW_BYTES = 1 << 16;
const MAX_TEXT_BYTES = 1 << 16;

type Reader = { byteAt(at: number): number | undefined; source: ByteSource };

function makeReader(source: ByteSource): Reader {
  let window = new Uint8Array();
  let start = 0;
  return {
    source,
    byteAt(at) {
      if (at >= source.sizeBytes) return undefined;
      if (at < start || at >= start + window.length) {
        start = at;
        window = source.read(at, Math.min(WINDOW_BYTES, source.sizeBytes - at));
      }
      return window[at - start];
    },
  };
}

/** The constant tensors of an ONNX file by name. Its operations are not read, and no other file that it names. */
export function openOnnx(source: ByteSource): OnnxFile {
  const reader = makeReader(source);
  try {
    const graph = [...findFields(reader, { start: 0, end: source.sizeBytes })].find(
      ({ no }) => no === MODEL_GRAPH,
    );
    if (graph === undefined) throw makeDamagedError("it has no graph");
    const fields = [...findFields(reader, graph)];
    const of = (number: number) => fields.filter(({ no }) => no === number);
    return {
      tensors: of(GRAPH.initializer).flatMap((field) => readTensor(reader, field) ?? []),
      inputs: of(GRAPH.input).map((field) => readPort(reader, field)),
      outputs: of(GRAPH.output).map((field) => readPort(reader, field)),
    };
  } catch (cause) {
    if (cause instanceof RangeError) throw makeDamagedError("it is not a whole ONNX file", { cause });
    throw cause;
  }
}

/** Undefined for lists of numbers that are not weights: shapes and axes are stored otherwise. */
function readTensor(reader: Reader, message: FieldSpan): FileTensor | undefined {
  const fields = [...findFields(reader, message)];
  const find = (no: number) => fields.find((field) => field.no === no);
  const name = readText(reader, find(TENSOR.name));
  if (find(TENSOR.external) || find(TENSOR.location)?.value)
    throw new CheckpointError(
      "refused",
      `The weights ${name} are in another file, which is not read. Save the network as one file.`,
    );
  const dtype = TYPES.get(find(TENSOR.type)?.value ?? 0);
  const data = find(TENSOR.raw) ?? (dtype === "F32" ? find(TENSOR.floats) : undefined);
  if (dtype === undefined || data === undefined) return undefined;
  const shape = fields.filter(({ no }) => no === TENSOR.dims).flatMap((field) => listNumbers(reader, field));
  const storage = makePart(reader.source, data.start, data.end - data.start);
  const tensor = { name, shape, dtype, storage, offset: 0, strides: toContiguousStrides(shape) };
  checkTensor(tensor);
  if (countElements(shape) * TENSOR_TYPES[dtype] !== storage.sizeBytes)
    throw makeDamagedError(
      `the weights ${name} of shape [${shape.join(", ")}] have ${storage.sizeBytes} bytes`,
    );
  return tensor;
}

/** One number, or several that are packed. */
function listNumbers(reader: Reader, { value, start, end }: FieldSpan): number[] {
  if (value !== undefined) return [value];
  const numbers: number[] = [];
  let number = 0;
  let factor = 1;
  for (const byte of reader.source.read(start, Math.min(end - start, MAX_TEXT_BYTES))) {
    number += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte >= 0x80) continue;
    numbers.push(number);
    [number, factor] = [0, 1];
  }
  return numbers;
}

/** ValueInfo: its type is a message whose tensor type has a shape of dimensions, each a number or a name. */
function readPort(reader: Reader, message: FieldSpan): GraphPort {
  const inside = (span: FieldSpan | undefined, no: number) =>
    span === undefined ? [] : [...findFields(reader, span)].filter((field) => field.no === no);
  const name = readText(reader, inside(message, PORT.name)[0]);
  const [type] = inside(message, PORT.type);
  const [tensor] = inside(type, 1);
  const [shape] = inside(tensor, 2);
  return { name, shape: inside(shape, 1).map((dimension) => inside(dimension, 1)[0]?.value ?? 0) };
}

function readText(reader: Reader, span: FieldSpan | undefined): string {
  if (span === undefined) return "";
  return new TextDecoder().decode(
    reader.source.read(span.start, Math.min(span.end - span.start, MAX_TEXT_BYTES)),
  );
}
