export const MEDIA_ERROR_KINDS = [
  "unreadable",
  "no-audio",
  "too-long",
  "too-large",
  "disk-full",
  "encode-failed",
  "machine-failed",
  "crashed",
] as const;

export type MediaErrorKind = (typeof MEDIA_ERROR_KINDS)[number];

/** A problem with the file or the machine that a person can act on; misuse of the interface is a plain Error. */
export class MediaError extends Error {
  readonly kind: MediaErrorKind;

  constructor(kind: MediaErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MediaError";
    this.kind = kind;
  }
}

export function makeDiskFullError(options?: ErrorOptions): MediaError {
  return new MediaError("disk-full", "The disk is full. Free some space and try again.", options);
}
