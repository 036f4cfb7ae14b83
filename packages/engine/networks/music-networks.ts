import type { MusicManifest } from "../runtime/manifest.ts";
import type { MusicDetector } from "./music-detector/music-detector.ts";

/** Where pipelines get the network that hears music. */
export interface MusicNetworks {
  getMusicDetector(manifest: MusicManifest): Promise<MusicDetector>;
}
