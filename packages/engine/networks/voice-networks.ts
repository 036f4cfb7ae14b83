import type { SpeakerManifests, VoiceManifest } from "../runtime/manifest.ts";
import type { ListeningNetworks } from "./voices/find-voices.ts";
import type { LoadedSeparator } from "./voices/voice-separator.ts";

/** Loads the networks for speaker diarization and separation. */
export interface VoiceNetworks {
  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator>;
  getSpeakerNetworks(manifests: SpeakerManifests): Promise<ListeningNetworks>;
}
