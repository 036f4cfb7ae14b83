import type { DiarizationNetworks } from "../diarization/diarize.ts";
import type { SpeakerManifests, VoiceManifest } from "../manifests/manifest.ts";
import type { LoadedSeparator } from "./voices/voice-separator.ts";

/** Loads the networks for speaker diarization and separation. */
export interface VoiceNetworks {
  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator>;
  getSpeakerNetworks(manifests: SpeakerManifests): Promise<DiarizationNetworks>;
}
