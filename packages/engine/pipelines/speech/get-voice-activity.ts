import { EngineError } from "../../engine-error.ts";
import { findFamily, type ModelManifest, type VoiceActivityManifest } from "../../runtime/model-manifest.ts";

export function getVoiceActivity(manifests: readonly ModelManifest[]): VoiceActivityManifest {
  const manifest = findFamily(manifests, "silero-vad");
  if (manifest === undefined) throw new EngineError("model-missing", "The voice detector is missing.");
  return manifest;
}
