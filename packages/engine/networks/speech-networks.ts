import type { SpeechManifest, VoiceActivityManifest } from "../manifests/manifest.ts";
import type { SileroVad } from "./silero-vad/silero-vad.ts";
import type { Whisper } from "./whisper/whisper.ts";

export interface SpeechNetworks {
  getWhisper(manifest: SpeechManifest): Promise<Whisper>;
  getVoiceActivity(manifest: VoiceActivityManifest): Promise<SileroVad>;
}
