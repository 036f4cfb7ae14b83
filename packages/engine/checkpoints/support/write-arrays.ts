import { closeSync, openSync, writeSync } from "node:fs";
import { toContiguousStrides } from "../file-tensor.ts";
import { writeSafetensors } from "../write-safetensors.ts";
import { makeMemorySource } from "./memory-source.ts";

export type NamedArray = { name: string; shape: readonly number[]; dtype: "F32" | "F16" };

/** Writes arrays as a converted checkpoint is stored. */
export function writeArrays(
  path: string,
  arrays: readonly NamedArray[],
  read: (name: string) => Float32Array,
): void {
  const tensors = arrays.map(({ name, shape, dtype }) => {
    const values = dtype === "F16" ? Float16Array.from(read(name)) : read(name);
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const storage = makeMemorySource(bytes);
    return { name, shape: [...shape], dtype, storage, offset: 0, strides: toContiguousStrides(shape) };
  });
  const file = openSync(path, "w");
  try {
    writeSafetensors(tensors, (bytes) => {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    });
  } finally {
    closeSync(file);
  }
}
