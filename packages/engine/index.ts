export {
  dropDraft,
  getAddedManifest,
  installDraft,
  makeDraft,
  type NetworkDraft,
  rememberSpeed,
  removeNetwork,
  setDefaultNetwork,
} from "./added-networks/added-networks.ts";
export { checkNetwork, type NetworkCheck } from "./added-networks/check-network.ts";
export { type ConvertedNetwork, convertNetwork } from "./added-networks/convert-network.ts";
export { KNOWN_NETWORKS, type KnownNetwork } from "./added-networks/known-networks.ts";
export type { GapRequest, GapResult } from "./alignment/align-gap.ts";
export { CheckpointError } from "./checkpoints/checkpoint-error.ts";
export { readConfigurationFile } from "./checkpoints/convert-checkpoint.ts";
export { type Bag, findBag } from "./checkpoints/read-configuration.ts";
export { EngineError, type EngineErrorKind } from "./engine-error.ts";
export { EngineKilled } from "./engine-killed.ts";
export { isDiskFull } from "./is-disk-full.ts";
export {
  listAddedManifests,
  listNetworkFolders,
  loadDefaults,
  SPEECH_NETWORKS,
  type StemManifest,
  type StemService,
} from "./manifests/manifest.ts";
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
export type { PreviewNews, PreviewRequest } from "./previews/preview-writer.ts";
export { sweepCells } from "./process/engine-cell.ts";
export type { NetworkReport } from "./process/engine-message.ts";
export { EngineProcess } from "./process/engine-process.ts";
export { ProviderChoice } from "./process/provider-choice.ts";
export { toNetworkCacheDir } from "./process/start-engine.ts";
export type { SpanHooks } from "./process/work-hooks.ts";
export { estimateWorkBytes } from "./request/work-bytes.ts";
export { describeGpus } from "./runtime/describe-gpus.ts";
export { describeMachine } from "./runtime/describe-machine.ts";
export { PROVIDER_SETTINGS } from "./runtime/execution-provider.ts";
export { findProviderFault } from "./runtime/find-provider-fault.ts";
export type { ConfinementReport } from "./sandbox/confine-engine.ts";
export type { SpanFile, SpanRequest, SpanResult } from "./separation/spans/run-span.ts";
export { toSpanDir } from "./separation/spans/run-span.ts";
export type { MadeSpan, SpanId, SpanPart } from "./separation/spans/span-exchange.ts";
export { forgetStems, sweepStemCache } from "./separation/sweep-stem-cache.ts";
export { makeStemFile, type StemFileRequest } from "./stem-file/make-stem-file.ts";
export { STEM_COUNT } from "./stem-file/stem-metadata.ts";
export type {
  AnalysisFormat,
  DetectionFormat,
  EngineTarget,
  TargetResult,
  TranscriptionOptions,
} from "./targets/engine-request.ts";
export type { TargetProgress } from "./targets/stage-progress.ts";
export { MAX_TRANSCRIPT_BYTES, parseTranscript } from "./text/parse-transcript.ts";
export type { TextFormat } from "./text/text-format.ts";
export type { TimedText } from "./text/timed-text.ts";
export { writeText } from "./text/write-text.ts";
