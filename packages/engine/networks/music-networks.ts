import type { MusicManifest } from "../manifests/manifest.ts";
import type { MusicDetector } from "./music-detector/music-detector.ts";

export interface MusicNetworks {
  getMusicDetector(manifest: MusicManifest): Promise<MusicDetector>;
}
