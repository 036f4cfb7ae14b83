import { z } from "zod";
import type { NamedTensors } from "../../checkpoints/named-tensors.ts";
import { type Checkpoint, CheckpointRefused, type Recognised } from "../architecture.ts";
import { listBands } from "./bands.ts";
import type { RoformerConfiguration } from "./configuration.ts";
import { type MsstRun, readMsstModel, readMsstRun } from "./msst-run.ts";
import { isStored, listMissing, type RoformerDimensions, readDimensions } from "./read-dimensions.ts";

const RATE_HZ = 44_100;
/** What is tried where nothing says it, the usual first. */
const FFT_SIZES = [2048, 4096, 1024, 8192];
const RATES_HZ = [44_100, 48_000, 32_000, 16_000, 22_050];
/** About 8 s, as most of them were trained with. */
const CHUNK_SECONDS = 8;
const OVERLAP_COUNT = 2;
/** As MSST orders them, by their number. */
const USUAL_STEMS: Record<number, string[]> = {
  1: ["vocals"],
  2: ["vocals", "other"],
  4: ["vocals", "bass", "drums", "other"],
  6: ["bass", "drums", "other", "vocals", "guitar", "piano"],
};
/** A table in half precision is this far from the computed one. */
const TABLE_TOLERANCE = 2e-3;

export function recogniseRoformer(
  checkpoint: Checkpoint,
  { kind, title }: { kind: RoformerDimensions["kind"]; title: string },
): Recognised | undefined {
  const dimensions = readDimensions(checkpoint.tensors);
  if (dimensions?.kind !== kind) return undefined;
  const missing = listMissing(dimensions, checkpoint.tensors);
  if (missing !== undefined)
    throw new CheckpointRefused(`This ${title} is incomplete or damaged: ${missing}.`);
  checkTables(checkpoint, dimensions);
  const run = readMsstRun(checkpoint);
  const assumptions: string[] = [];
  const assume = <Value>(said: Value | undefined, usual: Value, what: (value: Value) => string): Value => {
    if (said === undefined) assumptions.push(what(usual));
    return said ?? usual;
  };
  compareWithConfiguration(run, dimensions, assumptions);
  const transform = findTransform(dimensions, run, assume);
  const hopFrames = assume(
    readMsstModel(run, "stft_hop_length", z.int().min(1).max(16_384)),
    usualHop(dimensions, transform.fftSize),
    (hop) => `the hop is ${hop} frames`,
  );
  const chunk = Math.round((CHUNK_SECONDS * transform.sampleRateHz) / hopFrames) * hopFrames;
  const segmentFrames = assume(run.chunkFrames, chunk, (frames) => `a segment has ${frames} frames`);
  const windowFrames = readMsstModel(run, "stft_win_length", z.int());
  if (windowFrames !== undefined && windowFrames !== transform.fftSize)
    throw new CheckpointRefused(
      `A window of ${windowFrames} frames in a transform of ${transform.fftSize} can't run here.`,
    );
  checkSegment(segmentFrames, { hopFrames, transform, run, kind });
  const configuration: RoformerConfiguration = {
    fftSize: transform.fftSize,
    hopFrames,
    isNormalized: assume(
      readMsstModel(run, "stft_normalized", z.boolean()),
      false,
      () => "the transform is not normalised",
    ),
    zeroDc: assume(
      readMsstModel(run, "zero_dc", z.boolean()),
      true,
      () => "bin 0 of every stem is silent, as in today's Music-Source-Separation-Training (zero_dc)",
    ),
    hasSkips: assume(
      readMsstModel(run, "skip_connection", z.boolean()),
      false,
      () => "blocks have no skip connections",
    ),
  };
  return {
    family: kind === "bs" ? "bs-roformer" : "mel-band-roformer",
    ...{ title, configuration, assumptions, segmentFrames },
    sampleRateHz: transform.sampleRateHz,
    channels: transform.channels,
    chunking: {
      convention: "msst",
      overlapCount: assume(run.overlapCount, OVERLAP_COUNT, (count) => `${count} segments overlap`),
    },
    ...(run.isLevelled && { levelling: "population" as const }),
    stems: findStems(dimensions, run, assumptions),
    stored: checkpoint.tensors.filter(({ name }) => isStored(name)).map(({ name }) => ({ name, from: name })),
  };
}

type Assume = <Value>(said: Value | undefined, usual: Value, what: (value: Value) => string) => Value;
type Transform = { channels: 1 | 2; fftSize: number; sampleRateHz: number };

/** Channels, size and rate whose bands have the sizes of the weights. */
function findTransform(dimensions: RoformerDimensions, run: MsstRun, assume: Assume): Transform {
  const stereo = readMsstModel(run, "stereo", z.boolean());
  const saidFft = readMsstModel(run, "stft_n_fft", z.int().min(64).max(32_768));
  const saidRate = readMsstModel(run, "sample_rate", z.int().min(8000).max(384_000)) ?? run.sampleRateHz;
  const isMel = dimensions.kind === "mel";
  for (const channels of stereo === undefined ? ([2, 1] as const) : ([stereo ? 2 : 1] as const)) {
    for (const sampleRateHz of saidRate === undefined && isMel ? RATES_HZ : [saidRate ?? RATE_HZ]) {
      for (const fftSize of saidFft === undefined ? FFT_SIZES : [saidFft]) {
        const transform = { channels, fftSize, sampleRateHz };
        if (!hasBands(dimensions, transform)) continue;
        assume(saidRate, sampleRateHz, (rate) => `the sample rate is ${rate} Hz`);
        return transform;
      }
    }
  }
  throw new CheckpointRefused(
    "The bands of this RoFormer fit no transform that is known or that its configuration says. Is this its configuration?",
  );
}

function hasBands(dimensions: RoformerDimensions, transform: Transform): boolean {
  const bands = listBands(dimensions, transform);
  const last = bands.at(-1);
  return (
    last !== undefined &&
    last.firstBin + last.bins === transform.fftSize / 2 + 1 &&
    bands.every(({ bins }, band) => 2 * bins * transform.channels === dimensions.bandSizes[band])
  );
}

/** Published ones have 441 at a size of 2048, or 512 if they are of 256 values; 882 at 4096. */
function usualHop({ kind, dim }: RoformerDimensions, fftSize: number): number {
  if (fftSize !== 2048) return Math.round((882 * fftSize) / 4096);
  return kind === "bs" && dim === 256 ? 512 : 441;
}

function checkSegment(
  segmentFrames: number,
  {
    hopFrames,
    transform,
    run,
    kind,
  }: { hopFrames: number; transform: Transform; run: MsstRun; kind: RoformerDimensions["kind"] },
): void {
  if (segmentFrames <= transform.fftSize)
    throw new CheckpointRefused(
      `The configuration's chunks of ${segmentFrames} frames are shorter than the transform.`,
    );
  const isMatched = kind === "bs" || readMsstModel(run, "match_input_audio_length", z.boolean()) === true;
  if (!isMatched && segmentFrames % hopFrames !== 0)
    throw new CheckpointRefused(
      `The configuration's chunks of ${segmentFrames} frames are no multiple of the hop, ${hopFrames} frames, and match_input_audio_length is off.`,
    );
}

function findStems({ stemCount }: RoformerDimensions, run: MsstRun, assumptions: string[]): string[] {
  if (run.stems?.length === stemCount) return run.stems;
  const stems = USUAL_STEMS[stemCount] ?? Array.from({ length: stemCount }, (_, n) => `stem_${n + 1}`);
  if (run.stems)
    throw new CheckpointRefused(
      `The configuration names ${run.stems.length} stems (${run.stems.join(", ")}), but the weights have ${stemCount}. Is this its configuration?`,
    );
  assumptions.push(`its ${stemCount === 1 ? "stem is" : "stems are, in this order,"} ${stems.join(", ")}`);
  return stems;
}

/** The weights decide; what a configuration says otherwise may mean that it is another network's. */
function compareWithConfiguration(run: MsstRun, dimensions: RoformerDimensions, assumptions: string[]): void {
  const { dim, heads, headSize, blocks } = dimensions;
  const found = { dim, heads, dim_head: headSize, depth: blocks.length, num_stems: dimensions.stemCount };
  for (const [key, value] of Object.entries(found)) {
    const said = readMsstModel(run, key, z.number());
    if (said !== undefined && said !== value)
      assumptions.push(`${key} is ${value} as in the weights, not ${said} as in the configuration`);
  }
}

/** Tables that one conversion stores instead of frequencies must be those that are computed here. */
function checkTables(
  { tensors, read }: Pick<NamedTensors, "read"> & Checkpoint,
  { headSize }: RoformerDimensions,
): void {
  for (const name of ["cos_emb_time", "cos_emb_freq"]) {
    const shape = tensors.find((tensor) => tensor.name === name)?.shape;
    if (shape === undefined) continue;
    const [length = 0] = shape;
    const table = read(name);
    for (let at = 0; at < length * headSize; at++) {
      const pair = (at % headSize) >> 1;
      const wanted = Math.cos(Math.floor(at / headSize) * 10_000 ** ((-2 * pair) / headSize));
      if (!(Math.abs(table[at]! - wanted) < TABLE_TOLERANCE))
        throw new CheckpointRefused(
          `The table ${name} holds other rotary positions than those of RoFormers.`,
        );
    }
  }
}
