/** Gives the memory of arrays that nobody reads any more back at once: over hours they add up faster than they are collected. */
export function release(arrays: readonly Float32Array[]): void {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
