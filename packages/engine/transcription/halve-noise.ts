import {
  makeSegmentGrid,
  OverlapAdd,
  SegmentGains,
  type SegmentGrid,
  segmentSpan,
} from "../dsp/overlap-add.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { ArraySource } from "../dsp/sources/array-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { isStemManifest, type Manifest, type StemManifest } from "../manifests/manifest.ts";
import type { StemNetwork, StemNetworks } from "../networks/stem-network.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";

const NOISE = "noise";
/** With less noise than this, half of it is no easier to understand. */
const NOISY_DB = 5;
/** If a few seconds have less noise than this, the rest is not checked. */
const QUIET_DB = 15;

export type NoiseHalver = {
  /** Of the weights. */
  sha256: string;
  /** The window with half of its noise; undefined if there is little. */
  halve(samples: Float32Array): Promise<Float32Array | undefined>;
};

/** Uses the network for clean speech, which is loaded when it is first needed. Undefined without one; if it fails, nothing is halved from then on. */
export function makeNoiseHalver(
  networks: StemNetworks,
  manifests: readonly Manifest[],
  outcomes: Pick<TargetOutcomes, "tryNetwork">,
): NoiseHalver | undefined {
  const manifest = manifests.filter(isStemManifest).find(({ family }) => family === "speech-cleaner");
  if (manifest === undefined) return undefined;
  let hasFailed = false;
  return {
    sha256: manifest.weights.sha256,
    async halve(samples) {
      if (hasFailed) return undefined;
      let halved: Float32Array | undefined;
      const failure = await outcomes.tryNetwork([], async () => {
        const { network } = await networks.getNetwork(manifest);
        halved = await halveNoise(network, manifest, samples);
      });
      hasFailed = failure !== undefined;
      return halved;
    },
  };
}

async function halveNoise(
  network: StemNetwork,
  manifest: Pick<StemManifest, "sampleRateHz" | "segmentFrames" | "chunking">,
  samples: Float32Array,
): Promise<Float32Array | undefined> {
  const { sampleRateHz } = manifest;
  const recording = toSampleRate(new ArraySource([samples], SPEECH_RATE_HZ), { sampleRateHz });
  const grid = makeSegmentGrid({ ...manifest, lengthFrames: recording.lengthFrames });
  const middle = Math.floor(grid.segmentCount / 2);
  const known = await findNoise(network, { recording, grid, index: middle });
  if (known.snrDb > QUIET_DB) return undefined;
  const noise = await joinNoise({ recording, grid, lengthFrames: samples.length }, async (index) =>
    index === middle ? known.noise : (await findNoise(network, { recording, grid, index })).noise,
  );
  const clean = samples.map((value, n) => value - (noise[n] ?? 0));
  if (findSnrDb(clean, noise) > NOISY_DB) return undefined;
  return samples.map((value, n) => value - (noise[n] ?? 0) / 2);
}

type GridOfRecording = { recording: FrameSource; grid: SegmentGrid };

/** The noise of all segments, joined, at the rate of the window. */
async function joinNoise(
  { recording, grid, lengthFrames }: GridOfRecording & { lengthFrames: number },
  findSegment: (index: number) => Promise<Float32Array>,
): Promise<Float32Array> {
  const noise = new Float32Array(recording.lengthFrames);
  const joined = new OverlapAdd(new SegmentGains(grid));
  for (let index = 0; index < grid.segmentCount; index++) {
    noise.set(joined.add(index, await findSegment(index)), segmentSpan(grid, index).startFrame);
  }
  const back = toSampleRate(new ArraySource([noise], recording.sampleRateHz), {
    sampleRateHz: SPEECH_RATE_HZ,
    lengthFrames,
  });
  return readMono(back, 0, lengthFrames);
}

async function findNoise(
  network: StemNetwork,
  { recording, grid, index }: GridOfRecording & { index: number },
): Promise<{ noise: Float32Array; snrDb: number }> {
  const { lengthFrames, windowStartFrame, marginFrames } = segmentSpan(grid, index);
  const window = readMono(recording, windowStartFrame, grid.segmentFrames);
  const planes = (await network.separate([window, window], [NOISE])).get(NOISE);
  const take = (samples: Float32Array | undefined) =>
    samples?.subarray(marginFrames, marginFrames + lengthFrames) ?? new Float32Array();
  const noise = take(planes?.[0]);
  const clean = take(window).map((value, n) => value - (noise[n] ?? 0));
  return { noise, snrDb: findSnrDb(clean, noise) };
}

function readMono(source: FrameSource, startFrame: number, lengthFrames: number): Float32Array {
  return source.read(startFrame, lengthFrames)[0] ?? new Float32Array(lengthFrames);
}

function findSnrDb(speech: Float32Array, noise: Float32Array): number {
  return 10 * Math.log10((measurePower(speech) + Number.EPSILON) / (measurePower(noise) + Number.EPSILON));
}

function measurePower(samples: Float32Array): number {
  let sum = 0;
  for (const value of samples) sum += value * value;
  return sum;
}
