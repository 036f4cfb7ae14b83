export {
  AUDIO_FORMATS,
  type AudioFormat,
  type WavBitDepth,
} from "./audio-format.ts";
export { type DecodedMedia, decodeToPcm } from "./decode-to-pcm.ts";
export { describeSandbox } from "./describe-sandbox.ts";
export { MediaError, type MediaErrorKind } from "./media-error.ts";
export type { MediaInfo } from "./media-info.ts";
export { openEncoder, type PcmEncoder } from "./open-encoder.ts";
export { findOutputFault } from "./output-fault.ts";
export { probeMedia } from "./probe-media.ts";
export { SANDBOX_MODES, type SandboxMode, setSandboxMode } from "./sandbox-mode.ts";
export { explainGaps } from "./sandbox-report.ts";
