import type { StemManifest } from "../runtime/manifest.ts";

/** A network that separates a stereo segment: the interface of all separating families. */
export interface StemNetwork {
  readonly segmentFrames: number;
  /**
   * Stereo in, the requested stems in stereo out, all of `segmentFrames`; the caller owns the arrays. A slow network reports its progress. A
   * call made while another is running is prepared meanwhile.
   */
  separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>>;
}

/** A network and what it runs on, in words: another provider or precision gives slightly different samples. */
export type LoadedNetwork = { network: StemNetwork; runsOn: string };

/** Loads the networks that separate stems. */
export interface StemNetworks {
  getNetwork(manifest: StemManifest): Promise<LoadedNetwork>;
}
