/** Frees the memory of arrays that are no longer read: over hours they add up faster than they are garbage-collected. */
export function release(arrays: readonly Float32Array[]): void {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
