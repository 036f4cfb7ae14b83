/** Not an EngineError: it tells of the machine and nothing of the work, which is done again on the CPU. */
export class GpuFailed extends Error {
  constructor(cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(message.startsWith("The GPU failed") ? message : `The GPU failed: ${message}`, { cause });
    this.name = "GpuFailed";
  }
}
