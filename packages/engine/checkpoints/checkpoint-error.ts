export const CHECKPOINT_ERROR_KINDS = [
  /** The file is cut off, or contradicts itself. */
  "damaged",
  /** Well-formed, but nothing that can be used: named in the message. */
  "unsupported",
  /** It would have to be executed. */
  "refused",
  /** Larger than any network. */
  "too-large",
  /** The machine or the process reading it failed. */
  "machine-failed",
] as const;

export type CheckpointErrorKind = (typeof CHECKPOINT_ERROR_KINDS)[number];

/** Why a checkpoint can't be read, in a sentence for the person who has it. */
export class CheckpointError extends Error {
  readonly kind: CheckpointErrorKind;

  constructor(kind: CheckpointErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckpointError";
    this.kind = kind;
  }
}

export const makeDamagedError = (what: string, options?: ErrorOptions) =>
  new CheckpointError("damaged", `The file is damaged: ${what}. Download it again.`, options);
