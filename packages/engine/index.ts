export { EngineError, type EngineErrorKind } from "./engine-error.ts";
export { EngineKilled } from "./engine-killed.ts";
export { isDiskFull } from "./is-disk-full.ts";
export {
  AUDIO_FORMATS,
  type AudioFormat,
  type DecodedMedia,
  describeSandbox,
  type EncodedFile,
  MediaError,
  type MediaErrorKind,
  type MediaInfo,
  probeMedia,
  type WavBitDepth,
} from "./media/index.ts";
export { type EngineModel, listEngineModels } from "./models/list-engine-models.ts";
export type { DetectionFormat, EngineRequest, EngineTarget } from "./pipelines/engine-request.ts";
export { forgetStems, sweepStemCache } from "./pipelines/sweep-stem-cache.ts";
export { type EngineHooks, EngineProcess, type EngineProcessOptions } from "./process/engine-process.ts";
export { EXECUTION_PROVIDERS, type ExecutionProvider } from "./runtime/execution-provider.ts";
export { type ModelScore, SPEECH_MODELS, type SpeechModel } from "./runtime/model-manifest.ts";
export { TEXT_FORMATS, type TextFormat } from "./text/text-format.ts";
