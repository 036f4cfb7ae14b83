/** Not an EngineError: the machine failed, not the work, which is repeated on the CPU. */
export class GpuFailed extends Error {
  constructor(cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(message.startsWith("The GPU failed") ? message : `The GPU failed: ${message}`, { cause });
    this.name = "GpuFailed";
  }
}
