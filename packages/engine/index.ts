export { EngineError, type EngineErrorKind } from "./engine-error.ts";
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
export type {
  SeparateFile,
  SeparateRequest,
  SeparateTarget,
  TargetResult,
} from "./pipelines/separate-request.ts";
export { EngineProcess, type EngineProcessOptions, type SeparateHooks } from "./process/engine-process.ts";
export { EXECUTION_PROVIDERS, type ExecutionProvider } from "./runtime/execution-provider.ts";
export type { ModelScore } from "./runtime/model-manifest.ts";
