import type { EngineErrorKind } from "../engine-error.ts";
import type { SandboxMode } from "../media/index.ts";
import type { EngineRequest, TargetResult } from "../pipelines/engine-request.ts";
import type { PreviewNews } from "../pipelines/previews/previews.ts";
import type { StretchRequest, StretchResult } from "../pipelines/speech/align-stretch.ts";
import type { TargetProgress } from "../pipelines/stage-progress.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import type { SpeechModel } from "../runtime/model-manifest.ts";

/** What the engine child is told: one request after another. */
export type EngineCommand = {
  work: { kind: "targets"; request: EngineRequest } | { kind: "stretch"; request: StretchRequest };
  threads: number;
  executionProvider: ExecutionProvider;
  speechModel?: SpeechModel;
  cacheDir?: string;
  stemCacheBytes: number;
  sandboxMode: SandboxMode;
};

/** An error on its way through the channel. Without a kind it is a defect or the machine's fault, not a condition. */
export type EngineFailure = { kind?: EngineErrorKind; message: string };

/** What the child tells, in the order it happens; `done` or `failed` ends a request. */
export type EngineMessage =
  | { kind: "notice"; notice: string }
  /** A thread of a network has died: the process should get no further request. */
  | { kind: "retired" }
  | { kind: "progress"; progress: readonly TargetProgress[] }
  | { kind: "target-done"; key: string; result: TargetResult }
  | { kind: "target-failed"; key: string; failure: EngineFailure }
  | { kind: "stretch-done"; result: StretchResult }
  | { kind: "preview"; news: PreviewNews }
  | { kind: "done" }
  | { kind: "failed"; failure: EngineFailure };
