import type { SpeakerManifest, VoiceManifest } from "../runtime/manifest.ts";
import type { LoadedSeparator } from "./voices/voice-separator.ts";
import type { XVector } from "./x-vector/x-vector.ts";

/** Loads the networks that tell speakers apart. */
export interface VoiceNetworks {
  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator>;
  getSpeakerNetwork(manifest: SpeakerManifest): Promise<XVector>;
}
