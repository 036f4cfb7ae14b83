import type { SpeakerManifests, VoiceManifest } from "../manifests/manifest.ts";
import type { SpeakerEmbedding } from "./voices/speaker-embedding.ts";
import type { SpeakerSegmentation } from "./voices/speaker-segmentation.ts";
import type { LoadedSeparator } from "./voices/voice-separator.ts";
import type { XVector } from "./x-vector/x-vector.ts";

export type SpeakerNetworks = {
  turns: SpeakerSegmentation;
  speakers: SpeakerEmbedding;
  xVector: XVector;
};

/** Loads the networks for speaker diarization and separation. */
export interface VoiceNetworks {
  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator>;
  getSpeakerNetworks(manifests: SpeakerManifests): Promise<SpeakerNetworks>;
}
