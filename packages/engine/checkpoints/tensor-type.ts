/** Bytes of a number of each type, named as in safetensors. */
export const TENSOR_TYPES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const;

export type TensorType = keyof typeof TENSOR_TYPES;

export const countElements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
