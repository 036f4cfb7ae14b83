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

/** For EFBIG: the file system, or the limit of the process, allows no file of this size. */
export function makeTooLargeFileError(options?: ErrorOptions): MediaError {
  return new MediaError(
    "too-large",
    "The file system allows no file this large. Send the input in parts.",
    options,
  );
}

export function makeDiskFullError(options?: ErrorOptions): MediaError {
  return new MediaError("disk-full", "The disk is full. Free some space and try again.", options);
}
