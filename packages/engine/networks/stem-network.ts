import type { StemManifest } from "../runtime/manifest.ts";

/** A network that takes a stereo segment apart: the one face every separating family shows to the pipelines. */
export interface StemNetwork {
  readonly segmentFrames: number;
  /**
   * Stereo in, the asked-for stems in stereo out, all of `segmentFrames`; the arrays are the caller's. A slow network tells how far it is. Called
   * before an earlier call has answered, it prepares the one while the other runs.
   */
  separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>>;
}

/** A network and what it runs on, in words: another provider or arithmetic gives slightly other samples. */
export type LoadedNetwork = { network: StemNetwork; runsOn: string };

/** Loads the networks that separate stems. */
export interface StemNetworks {
  getNetwork(manifest: StemManifest): Promise<LoadedNetwork>;
}
