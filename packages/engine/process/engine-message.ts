import type { GapRequest, GapResult } from "../alignment/align-gap.ts";
import type { EngineErrorKind } from "../engine-error.ts";
import type { SpeechNetwork } from "../manifests/manifest.ts";
import type { SandboxMode } from "../media/index.ts";
import type { PreviewNews } from "../previews/preview-writer.ts";
import type { ProviderSetting } from "../runtime/execution-provider.ts";
import type { ConfinementReport } from "../sandbox/confine-engine.ts";
import type { SpanRequest, SpanResult } from "../separation/spans/run-span.ts";
import type { MadeSpan, SpanId, SpanPart } from "../separation/spans/span-exchange.ts";
import type { CachedStem, WantedStem } from "../separation/stem-cache.ts";
import type { EngineRequest, TargetResult } from "../targets/engine-request.ts";
import type { TargetProgress } from "../targets/stage-progress.ts";

/** Messages to the engine child: one request at a time. */
export type EngineCommand = {
  kind: "work";
  work:
    | { kind: "targets"; request: EngineRequest }
    | { kind: "gap"; request: GapRequest }
    | { kind: "span"; request: SpanRequest };
  threads: number;
  executionProvider: ProviderSetting;
  speechNetwork?: SpeechNetwork;
  modelsDir?: string;
  cacheDir?: string;
  /** Whether the parent has stems of earlier requests for this one. */
  hasStemCache: boolean;
  sandboxMode: SandboxMode;
};

/** Whether a stem that the child asked for was cached. */
export type StemNews = { kind: "stem-lent"; id: number; isLent: boolean };

/** Messages to the child during a request whose spans are shared. */
export type SpanNews =
  | { kind: "span-taken"; span: SpanId; made: MadeSpan | undefined }
  | { kind: "spans-elsewhere"; shares: { span: SpanId; share: number }[] };

/** An error in transit. Without a kind it is a bug or the machine's fault. */
export type EngineFailure = { kind?: EngineErrorKind; message: string; isGpuFault?: true };

/** What a network runs on, and its measured speed there. */
export type NetworkReport = { name: string; runsOn: string; timesRealTime: number | null };

/** Messages from the child, in order; `done` or `failed` ends a request. */
export type EngineMessage =
  /** The first one: the channel is read from now on. */
  | { kind: "started"; confinement: ConfinementReport | undefined }
  | { kind: "notice"; notice: string }
  /** A thread of a network has died: the process should get no further request. */
  | { kind: "retired" }
  /** From now on a GPU driver may crash the process. */
  | { kind: "gpu-in-use" }
  | { kind: "network-loaded"; network: NetworkReport }
  | { kind: "progress"; progress: readonly TargetProgress[] }
  | { kind: "target-done"; key: string; result: TargetResult }
  | { kind: "target-failed"; key: string; failure: EngineFailure }
  | { kind: "gap-done"; result: GapResult }
  | { kind: "spans-offered"; parts: readonly SpanPart[] }
  | { kind: "span-wanted"; span: SpanId }
  | { kind: "stem-wanted"; id: number; wanted: WantedStem }
  | { kind: "stem-finished"; finished: CachedStem }
  | { kind: "span-progress"; fraction: number }
  | { kind: "span-done"; result: SpanResult }
  | { kind: "preview"; news: PreviewNews }
  | { kind: "done" }
  | { kind: "failed"; failure: EngineFailure };
