import type { TargetErrorName } from "@stemwright/contract";
import { EngineError, type EngineErrorKind } from "@stemwright/engine";
import { TargetFailure } from "./target-failure.ts";

const NAME_OF_KIND: Record<EngineErrorKind, TargetErrorName> = {
  "input-unreadable": "INPUT_UNREADABLE",
  "input-no-audio": "INPUT_NO_AUDIO",
  "input-too-long": "INPUT_TOO_LONG",
  "disk-full": "DISK_FULL",
  "out-of-memory": "OUT_OF_MEMORY",
  "transcript-unusable": "TRANSCRIPT_UNUSABLE",
  "model-missing": "MODEL_MISSING",
  "model-failed": "MODEL_FAILED",
  "encode-failed": "ENCODE_FAILED",
  cancelled: "CANCELLED",
};

/** The engine's failures in the client's words; undefined for what is not the engine's to explain. */
export function findTargetFailure(error: unknown): TargetFailure | undefined {
  if (error instanceof TargetFailure) return error;
  if (error instanceof EngineError) return new TargetFailure(NAME_OF_KIND[error.kind], error.message);
  return undefined;
}
