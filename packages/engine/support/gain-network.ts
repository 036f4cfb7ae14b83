import { setImmediate } from "node:timers/promises";
import { isStemManifest, parseManifest, type StemManifest } from "../manifests/manifest.ts";
import type { Networks } from "../networks/networks.ts";
import type { LoadedNetwork, StemNetwork } from "../networks/stem-network.ts";

const GAINS: Record<string, number> = { vocals: 0.5, drums: 0.25, other: 0.125 };
/** Gains of a second network, which reads `other`; they add up to 1. */
const SPLITTER_GAINS: Record<string, number> = { guitar: 0.5, piano: 0.25, rest: 0.25 };

/** Replaces a trained network where only the pipeline is tested: each stem is the input times a gain. */
export class GainNetwork implements StemNetwork, Networks {
  readonly segmentFrames: number;
  /** The stems requested by each run so far. */
  readonly runs: (readonly string[])[] = [];
  /** Added to the second quarter of every segment: an error that moves with the grid. */
  flaw = 0;
  /** The index of the run that fails like a killed process. */
  failsAtRun = Number.POSITIVE_INFINITY;
  failure = new Error("killed");
  /** Yields to the event loop before it answers, like a network in a thread. */
  isSlow = false;

  constructor(segmentFrames: number) {
    this.segmentFrames = segmentFrames;
  }

  async getNetwork(): Promise<LoadedNetwork> {
    return { network: this, runsOn: "cpu" };
  }

  getWhisper(): never {
    throw new Error("no speech network here");
  }

  getVoiceActivity(): never {
    throw new Error("no speech network here");
  }

  getMusicDetector(): never {
    throw new Error("no music detector here");
  }

  getMusicAnalyser(): never {
    throw new Error("no music analyser here");
  }

  getVoiceSeparator(): never {
    throw new Error("no network for voices here");
  }

  getSpeakerNetworks(): never {
    throw new Error("no network for voices here");
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    if (this.runs.length === this.failsAtRun) throw this.failure;
    this.runs.push(stems);
    if (this.isSlow) await setImmediate();
    return new Map(
      stems.map((stem) => [
        stem,
        segment.map((plane) =>
          plane.map(
            (value, n) =>
              value * (GAINS[stem] ?? SPLITTER_GAINS[stem] ?? 0) +
              (isSecondQuarter(n, plane) ? this.flaw : 0),
          ),
        ),
      ]),
    );
  }
}

function isSecondQuarter(n: number, { length }: Float32Array): boolean {
  return n >= length / 4 && n < length / 2;
}

export function makeGainManifest(segmentFrames: number, sampleRateHz = 44_100): StemManifest {
  return makeManifest({
    id: "gain",
    sampleRateHz,
    segmentFrames,
    stems: Object.keys(GAINS),
    serves: [
      { model: "vocals", stem: "vocals", variants: ["high_quality"] },
      { model: "instrumental", without: "vocals" },
      { model: "drums", stem: "drums" },
      { model: "other", stem: "other" },
    ],
    startShares: { high_quality: [0, 0.5, 0.25] },
  });
}

export function makeSplitterManifest(segmentFrames: number): StemManifest {
  return makeManifest({
    id: "splitter",
    segmentFrames,
    weights: { file: "none", sha256: "1".repeat(64), sizeBytes: 1 },
    stems: Object.keys(SPLITTER_GAINS),
    reads: { network: "gain", stem: "other" },
    serves: [
      { model: "guitar", stem: "guitar" },
      { model: "other-x-guitar", without: "guitar" },
      { model: "piano", stem: "piano" },
      { model: "plucked", stem: ["guitar", "piano"] },
      { model: "other-x-plucked", without: ["guitar", "piano"] },
    ],
  });
}

function makeManifest(facts: object): StemManifest {
  const manifest = parseManifest(
    JSON.stringify({
      family: "demucs",
      name: "Gain",
      licence: "none",
      source: "none",
      weights: { file: "none", sha256: "0".repeat(64), sizeBytes: 1 },
      sampleRateHz: 44100,
      channels: 2,
      chunking: { convention: "even", overlapShare: 0.25 },
      passSeconds: 0.3,
      scores: [],
      ...facts,
    }),
  );
  if (!isStemManifest(manifest)) throw new Error("not a network that takes sound apart");
  return manifest;
}
