import { type FileTensor, readBlocks, widenBlock } from "./file-tensor.ts";
import { countElements, TENSOR_TYPES, type TensorType } from "./tensor-type.ts";

const ALIGNMENT_BYTES = 8;

/** Half precision stays, all else becomes float32: the networks compute in float32. */
const toStoredType = (dtype: TensorType) => (dtype === "F16" ? "F16" : "F32");

/**
 * Writes tensors sorted by name; the same tensors give the same bytes. Block by block, so that memory does not depend on the size of the
 * checkpoint.
 */
export function writeSafetensors(tensors: readonly FileTensor[], write: (bytes: Uint8Array) => void): void {
  const sorted = tensors.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  let at = 0;
  const header = sorted.map(({ name, shape, dtype }) => {
    const stored = toStoredType(dtype);
    const start = at;
    at += countElements(shape) * TENSOR_TYPES[stored];
    return `${JSON.stringify(name)}:${JSON.stringify({ dtype: stored, shape, data_offsets: [start, at] })}`;
  });
  const bytes = new TextEncoder().encode(`{${header.join(",")}}`);
  const padded = new Uint8Array(Math.ceil(bytes.length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES).fill(0x20);
  padded.set(bytes);
  const length = new DataView(new ArrayBuffer(ALIGNMENT_BYTES));
  length.setBigUint64(0, BigInt(padded.length), true);
  write(new Uint8Array(length.buffer));
  write(padded);
  for (const tensor of sorted)
    for (const block of readBlocks(tensor))
      write(tensor.dtype === "F16" ? block : new Uint8Array(widenBlock(block, tensor.dtype).buffer));
}
