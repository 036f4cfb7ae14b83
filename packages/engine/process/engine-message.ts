import type { EngineErrorKind } from "../engine-error.ts";
import type { DecodedMedia } from "../media/index.ts";
import type { SeparateRequest, TargetResult } from "../pipelines/separate-request.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";

/** What the engine child is told: one request after another. */
export type EngineCommand = {
  kind: "separate";
  request: SeparateRequest;
  threads: number;
  executionProvider: ExecutionProvider;
  cacheDir?: string;
};

/** An error on its way through the channel. Without a kind it is a defect, not a condition. */
export type EngineFailure = { kind?: EngineErrorKind; message: string };

/** What the child tells, in the order it happens; `done` or `failed` ends a request. */
export type EngineMessage =
  | { kind: "notice"; notice: string }
  | { kind: "input"; info: DecodedMedia }
  | { kind: "progress"; fraction: number }
  | { kind: "target-done"; key: string; result: TargetResult }
  | { kind: "target-failed"; key: string; failure: EngineFailure }
  | { kind: "done" }
  | { kind: "failed"; failure: EngineFailure };
