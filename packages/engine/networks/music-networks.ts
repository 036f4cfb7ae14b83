import type { AnalysisManifest, MusicManifest } from "../manifests/manifest.ts";
import type { MusicAnalyser } from "./music-analyser/music-analyser.ts";
import type { MusicDetector } from "./music-detector/music-detector.ts";

export interface MusicNetworks {
  getMusicDetector(manifest: MusicManifest): Promise<MusicDetector>;
  getMusicAnalyser(manifest: AnalysisManifest): Promise<MusicAnalyser>;
}
