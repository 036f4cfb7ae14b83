export { EngineError, type EngineErrorKind } from "./engine-error.ts";
export { EngineKilled } from "./engine-killed.ts";
export { isDiskFull } from "./is-disk-full.ts";
export {
  AUDIO_FORMATS,
  type AudioFormat,
  describeSandbox,
  explainGaps,
  findOutputFault,
  MediaError,
  probeMedia,
  SANDBOX_MODES,
  setSandboxMode,
} from "./media/index.ts";
export { listEngineModels } from "./networks/list-engine-models.ts";
export type {
  DetectionFormat,
  EngineTarget,
  HearingWishes,
  TargetResult,
} from "./pipelines/engine-request.ts";
export type { PreviewNews, PreviewRequest } from "./pipelines/previews/previews.ts";
export type { SpanFile, SpanRequest, SpanResult } from "./pipelines/spans/run-span.ts";
export { toSpanDir } from "./pipelines/spans/run-span.ts";
export type { MadeSpan, SpanId, SpanPart } from "./pipelines/spans/span-exchange.ts";
export type { StretchRequest, StretchResult } from "./pipelines/speech/align-stretch.ts";
export type { TargetProgress } from "./pipelines/stage-progress.ts";
export { forgetStems, sweepStemCache } from "./pipelines/sweep-stem-cache.ts";
export { estimateWorkBytes } from "./pipelines/work-bytes.ts";
export type { NetworkReport } from "./process/engine-message.ts";
export { EngineProcess } from "./process/engine-process.ts";
export { ProviderChoice } from "./process/provider-choice.ts";
export type { SpanHooks } from "./process/work-hooks.ts";
export { describeGpus } from "./runtime/describe-gpus.ts";
export { describeMachine } from "./runtime/describe-machine.ts";
export { PROVIDER_SETTINGS } from "./runtime/execution-provider.ts";
export { findProviderFault } from "./runtime/find-provider-fault.ts";
export { SPEECH_NETWORKS } from "./runtime/manifest.ts";
export { makeStemFile, type StemFileRequest } from "./stem-file/make-stem-file.ts";
export { STEM_COUNT } from "./stem-file/stem-metadata.ts";
export { parseTranscript, TRANSCRIPT_MAX_BYTES } from "./text/parse-transcript.ts";
export type { TextFormat } from "./text/text-format.ts";
export type { TimedText } from "./text/timed-text.ts";
export { writeText } from "./text/write-text.ts";
