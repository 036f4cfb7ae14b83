import type { MusicNetworks } from "./music-networks.ts";
import type { SpeechNetworks } from "./speech-networks.ts";
import type { StemNetworks } from "./stem-network.ts";
import type { VoiceNetworks } from "./voice-networks.ts";

/** Loads the network of any manifest. */
export type Networks = StemNetworks & SpeechNetworks & MusicNetworks & VoiceNetworks;
