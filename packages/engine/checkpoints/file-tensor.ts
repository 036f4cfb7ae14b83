import type { ByteSource } from "./byte-source.ts";
import { CheckpointError, makeDamagedError } from "./checkpoint-error.ts";
import { countElements, TENSOR_TYPES, type TensorType } from "./tensor-type.ts";

/** A tensor as a view of a storage, in elements: tensors may share one, and be transposed or repeated. */
export type TensorView = {
  shape: readonly number[];
  dtype: TensorType;
  storage: ByteSource;
  offset: number;
  strides: readonly number[];
};

export type FileTensor = TensorView & { name: string };

const BLOCK_ELEMENTS = 1 << 20;
/** Of a storage that has to be in memory at once, because its tensor takes its numbers in another order. */
const MAX_SHUFFLED_BYTES = 512 * 1024 ** 2;
/** More than any layer has. */
const MAX_DIMENSIONS = 16;

/** Throws unless every number of the tensor is inside its storage. */
export function checkTensor({ name, shape, dtype, storage, offset, strides }: FileTensor): void {
  const describe = `the tensor ${name} of shape [${shape.join(", ")}]`;
  if (shape.length > MAX_DIMENSIONS || strides.length !== shape.length)
    throw makeDamagedError(`${describe} has ${strides.length} strides`);
  for (const value of [...shape, ...strides, offset])
    if (!Number.isSafeInteger(value) || value < 0)
      throw makeDamagedError(`${describe} has a size of ${value}`);
  const count = countElements(shape);
  const last = shape.reduce((sum, size, axis) => sum + (size - 1) * (strides[axis] ?? 0), offset);
  const endBytes = (last + 1) * TENSOR_TYPES[dtype];
  const isInside = Number.isSafeInteger(count) && (count === 0 || endBytes <= storage.sizeBytes);
  if (!isInside)
    throw makeDamagedError(`${describe} needs ${endBytes} bytes, but its storage has ${storage.sizeBytes}`);
}

export function toContiguousStrides(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = (strides[axis + 1] ?? 1) * (shape[axis + 1] ?? 1);
  return strides;
}

function isContiguous({ shape, strides }: TensorView): boolean {
  const expected = toContiguousStrides(shape);
  return shape.every((size, axis) => size === 1 || strides[axis] === expected[axis]);
}

/** The tensor's numbers in its own type, row by row, in blocks. */
export function* readBlocks(tensor: TensorView): Generator<Uint8Array<ArrayBuffer>> {
  const { shape, dtype, storage, offset } = tensor;
  const size = TENSOR_TYPES[dtype];
  const count = countElements(shape);
  if (count === 0) return;
  if (!isContiguous(tensor)) {
    yield* gatherBlocks(tensor);
    return;
  }
  for (let done = 0; done < count; done += BLOCK_ELEMENTS) {
    const length = Math.min(BLOCK_ELEMENTS, count - done);
    yield storage.read((offset + done) * size, length * size);
  }
}

function* gatherBlocks({
  shape,
  dtype,
  storage,
  offset,
  strides,
}: TensorView): Generator<Uint8Array<ArrayBuffer>> {
  const size = TENSOR_TYPES[dtype];
  const extent = shape.reduce((sum, length, axis) => sum + (length - 1) * (strides[axis] ?? 0), 1);
  if (extent * size > MAX_SHUFFLED_BYTES)
    throw new CheckpointError(
      "too-large",
      `A transposed tensor of ${extent * size} bytes is larger than any layer. Save the state with contiguous tensors.`,
    );
  const source = storage.read(offset * size, extent * size);
  const count = countElements(shape);
  const index = shape.map(() => 0);
  let at = 0;
  for (let done = 0; done < count; done += BLOCK_ELEMENTS) {
    const length = Math.min(BLOCK_ELEMENTS, count - done);
    const block = new Uint8Array(length * size);
    for (let n = 0; n < length; n++) {
      block.set(source.subarray(at * size, (at + 1) * size), n * size);
      at = advance(index, { at, shape, strides });
    }
    yield block;
  }
}

/** Moves the index to the next element, the last axis first; returns its position in the storage. */
function advance(
  index: number[],
  { at, shape, strides }: { at: number; shape: readonly number[]; strides: readonly number[] },
): number {
  let next = at;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const [stride = 0, size = 0, position = 0] = [strides[axis], shape[axis], index[axis]];
    next += stride;
    index[axis] = position + 1;
    if (position + 1 < size) return next;
    next -= size * stride;
    index[axis] = 0;
  }
  return next;
}

const CONVERTERS: Record<TensorType, (buffer: ArrayBuffer) => Float32Array<ArrayBuffer>> = {
  F64: (buffer) => Float32Array.from(new Float64Array(buffer)),
  F32: (buffer) => new Float32Array(buffer),
  F16: (buffer) => new Float32Array(new Float16Array(buffer)),
  BF16: (buffer) => new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer),
  I64: (buffer) => Float32Array.from(new BigInt64Array(buffer), Number),
  I32: (buffer) => Float32Array.from(new Int32Array(buffer)),
  I16: (buffer) => Float32Array.from(new Int16Array(buffer)),
  I8: (buffer) => Float32Array.from(new Int8Array(buffer)),
  U8: (buffer) => Float32Array.from(new Uint8Array(buffer)),
  BOOL: (buffer) => Float32Array.from(new Uint8Array(buffer), (byte) => (byte === 0 ? 0 : 1)),
};

/** The block must start at its buffer's first byte. */
export const widenBlock = (block: Uint8Array<ArrayBuffer>, dtype: TensorType) =>
  CONVERTERS[dtype](block.buffer);

export function readTensor(tensor: TensorView): Float32Array<ArrayBuffer> {
  const floats = new Float32Array(countElements(tensor.shape));
  let at = 0;
  for (const block of readBlocks(tensor)) {
    const part = widenBlock(block, tensor.dtype);
    floats.set(part, at);
    at += part.length;
  }
  return floats;
}
