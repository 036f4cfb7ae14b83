import { ArraySource } from "../../dsp/array-source.ts";
import type { FrameSource } from "../../dsp/frame-source.ts";
import { makeFadeIn, makeSegmentGrid, OverlapAdd, segmentSpan } from "../../dsp/overlap-add.ts";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import type { StemNetwork, StemNetworks } from "../../networks/stem-network.ts";
import { SAMPLE_RATE_HZ } from "../../networks/whisper/log-mel.ts";
import { isStemManifest, type Manifest, type StemManifest } from "../../runtime/manifest.ts";

const NOISE = "noise";

/** A window with half of its noise, and how loud the speech was before. */
export type HalvedNoise = { samples: Float32Array; snrDb: number };
export type HalveNoise = (samples: Float32Array) => Promise<HalvedNoise>;

/** Uses the network for clean speech, which is loaded at the first call; undefined if it is not installed. */
export function makeHalveNoise(
  networks: StemNetworks,
  manifests: readonly Manifest[],
): HalveNoise | undefined {
  const manifest = manifests.filter(isStemManifest).find(({ family }) => family === "speech-cleaner");
  if (manifest === undefined) return undefined;
  return async (samples) => {
    const { network } = await networks.getNetwork(manifest);
    const noise = await findNoise(network, manifest, samples);
    const without = (share: number) => samples.map((value, n) => value - share * (noise[n] ?? 0));
    const ratio = (measurePower(without(1)) + Number.EPSILON) / (measurePower(noise) + Number.EPSILON);
    return { samples: without(0.5), snrDb: 10 * Math.log10(ratio) };
  };
}

async function findNoise(
  network: StemNetwork,
  manifest: Pick<StemManifest, "sampleRateHz" | "segmentFrames" | "overlapShare">,
  samples: Float32Array,
): Promise<Float32Array> {
  const { sampleRateHz } = manifest;
  const heard = toSampleRate(new ArraySource([samples], SAMPLE_RATE_HZ), { sampleRateHz });
  const noise = new Float32Array(heard.lengthFrames);
  const grid = makeSegmentGrid({ ...manifest, lengthFrames: heard.lengthFrames });
  const joined = new OverlapAdd(grid, makeFadeIn(grid));
  for (let index = 0; index < grid.segmentCount; index++) {
    const { startFrame, lengthFrames, windowStartFrame, marginFrames } = segmentSpan(grid, index);
    const window = readMono(heard, windowStartFrame, grid.segmentFrames);
    const planes = (await network.separate([window, window], [NOISE])).get(NOISE);
    const segment = planes?.[0]?.subarray(marginFrames, marginFrames + lengthFrames) ?? new Float32Array();
    noise.set(joined.add(index, segment), startFrame);
  }
  const back = toSampleRate(new ArraySource([noise], sampleRateHz), {
    sampleRateHz: SAMPLE_RATE_HZ,
    lengthFrames: samples.length,
  });
  return readMono(back, 0, samples.length);
}

function readMono(source: FrameSource, startFrame: number, lengthFrames: number): Float32Array {
  return source.read(startFrame, lengthFrames)[0] ?? new Float32Array(lengthFrames);
}

function measurePower(samples: Float32Array): number {
  let sum = 0;
  for (const value of samples) sum += value * value;
  return sum;
}
