import { EngineError, type EngineErrorKind } from "../engine-error.ts";
import { isDiskFull } from "../is-disk-full.ts";
import { MediaError, type MediaErrorKind } from "../media/index.ts";

const KIND_OF_MEDIA_ERROR: Record<Exclude<MediaErrorKind, "machine-failed">, EngineErrorKind | "crashed"> = {
  unreadable: "input-unreadable",
  "no-audio": "input-no-audio",
  "too-long": "input-too-long",
  "too-large": "input-too-large",
  "disk-full": "disk-full",
  "encode-failed": "encode-failed",
  crashed: "crashed",
};

/** The error as an EngineError; one without a counterpart is the machine's fault or a bug, and stays unchanged. */
export function toEngineError(error: unknown, during: "decoding" | "encoding"): unknown {
  if (error instanceof MediaError && error.kind !== "machine-failed") {
    const kind = KIND_OF_MEDIA_ERROR[error.kind];
    const crashKind = during === "decoding" ? "input-unreadable" : "encode-failed";
    return new EngineError(kind === "crashed" ? crashKind : kind, error.message, { cause: error });
  }
  return toSystemError(error);
}

/** A full disk and exhausted memory can happen anywhere. */
export function toSystemError(error: unknown): unknown {
  if (error instanceof EngineError || !(error instanceof Error)) return error;
  if (isDiskFull(error)) {
    return new EngineError("disk-full", "The disk is full. Free some space and try again.", { cause: error });
  }
  if ((error as NodeJS.ErrnoException).code === "EFBIG") {
    const message = "The file system allows no file this large. Send the input in parts.";
    return new EngineError("input-too-large", message, { cause: error });
  }
  if (error instanceof RangeError && /allocation failed|Invalid typed array length/.test(error.message)) {
    return new EngineError("out-of-memory", "Not enough memory to continue.", { cause: error });
  }
  return error;
}
