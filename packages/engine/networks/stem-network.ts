import type { StemManifest } from "../manifests/manifest.ts";

/** Separates a stereo segment: the interface of all separating families. */
export interface StemNetwork {
  readonly segmentFrames: number;
  /**
   * Returns the requested stems in stereo, all `segmentFrames` long; the caller owns the arrays. A slow network reports its progress. A call made while
   * another is running prepares its input meanwhile.
   */
  separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>>;
}

/** A network and a description of what it runs on: another provider or precision changes samples slightly. */
export type LoadedNetwork = { network: StemNetwork; runsOn: string };

/** The position of a stem in the network's output. */
export function getStemIndex(stems: readonly string[], stem: string): number {
  const index = stems.indexOf(stem);
  if (index < 0) throw new RangeError(`the network has no stem ${stem}`);
  return index;
}

export interface StemNetworks {
  getNetwork(manifest: StemManifest): Promise<LoadedNetwork>;
}
