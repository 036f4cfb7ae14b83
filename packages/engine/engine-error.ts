export type EngineErrorKind =
  | "input-unreadable"
  | "input-no-audio"
  | "input-too-long"
  | "input-too-large"
  | "disk-full"
  | "out-of-memory"
  | "transcript-unusable"
  | "network-missing"
  | "network-failed"
  | "encode-failed"
  | "cancelled";

/** A failure of the work in terms its caller can act on. Anything else is a bug or the machine's fault. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;

  constructor(kind: EngineErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "EngineError";
    this.kind = kind;
  }
}
