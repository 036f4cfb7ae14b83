/** Not an EngineError: it tells of the machine and nothing of the work, which is done again on the CPU. */
export class GpuFailed extends Error {
  constructor(cause: unknown) {
    super(`The GPU failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "GpuFailed";
  }
}
