import type { TargetErrorName } from "@stemwright/contract";
import { EngineError, type EngineErrorKind } from "@stemwright/engine";
import { TargetFailure } from "./target-failure.ts";

const NAME_OF_KIND: Record<Exclude<EngineErrorKind, "disk-full">, TargetErrorName> = {
  "input-unreadable": "INPUT_UNREADABLE",
  "input-no-audio": "INPUT_NO_AUDIO",
  "input-too-long": "INPUT_TOO_LONG",
  "input-too-large": "INPUT_DECODED_TOO_LARGE",
  "out-of-memory": "OUT_OF_MEMORY",
  "transcript-unusable": "TRANSCRIPT_UNUSABLE",
  "network-missing": "MODEL_MISSING",
  "network-failed": "MODEL_FAILED",
  "encode-failed": "ENCODE_FAILED",
  cancelled: "CANCELLED",
};

/** Engine errors as failures a client can understand; undefined for anything else. A full disk is the machine's fault, not the Task's. */
export function findTargetFailure(error: unknown): TargetFailure | undefined {
  if (error instanceof TargetFailure) return error;
  if (!(error instanceof EngineError) || error.kind === "disk-full") return undefined;
  return new TargetFailure(NAME_OF_KIND[error.kind], error.message);
}
