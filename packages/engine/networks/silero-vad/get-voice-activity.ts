import { EngineError } from "../../engine-error.ts";
import { findFamily, type Manifest, type VoiceActivityManifest } from "../../manifests/manifest.ts";

export function getVoiceActivity(manifests: readonly Manifest[]): VoiceActivityManifest {
  const manifest = findFamily(manifests, "silero-vad");
  if (manifest === undefined) throw new EngineError("network-missing", "The voice detector is missing.");
  return manifest;
}
