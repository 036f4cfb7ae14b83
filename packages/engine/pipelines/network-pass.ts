import { join } from "node:path";
import type { FrameSource } from "../dsp/frame-source.ts";
import {
  makeFadeIn,
  makeSegmentGrid,
  OverlapAdd,
  type SegmentGrid,
  segmentSpan,
} from "../dsp/overlap-add.ts";
import type { StemNetwork } from "../models/stem-network.ts";
import { forEachAhead } from "./for-each-ahead.ts";
import { fromLaneOutput, type Lane, toLaneInput } from "./lanes.ts";
import { toPcmBytes } from "./pcm-bytes.ts";
import { prepareSpoolFolder } from "./spool-folder.ts";
import type { CacheUser, StemCache } from "./stem-cache.ts";
import { StemSpool } from "./stem-spool.ts";

/** Raised whenever the same input and weights would give other samples. */
const SPOOL_VERSION = 7;

export type NetworkPass = {
  network: StemNetwork;
  overlapShare: number;
  /** The input at the network's rate. */
  input: FrameSource;
  lanes: readonly Lane[];
  stems: readonly string[];
  folder: string;
  /** What the spools depend on: input and weights. Spools made from anything else are thrown away. */
  identity: Record<string, string | number>;
  /** Where finished stems are looked up and kept, if anywhere. */
  cache: { stems: StemCache; user: CacheUser } | undefined;
  /** Resolves when the input can be read up to a frame, where it is still being made. */
  whenReadable?: (endFrame: number) => Promise<void>;
  /** Told how many frames of every stem are spooled; the first time, when the spools are there. */
  onSpooled?: (lengthFrames: number) => void;
  onProgress: (fraction: number) => void;
};

export function spoolPath(folder: string, stem: string): string {
  return join(folder, `${stem}.f32`);
}

/**
 * Runs the network over the input, segment after segment, and appends every finished stretch to the spools of
 * the stems. A pass that was killed goes on after its last whole stride; only the segment before it is run
 * again, for the tail it would have handed over.
 */
export async function runNetworkPass(pass: NetworkPass): Promise<void> {
  const grid = makeSegmentGrid({
    segmentFrames: pass.network.segmentFrames,
    overlapShare: pass.overlapShare,
    lengthFrames: pass.input.lengthFrames,
  });
  const { lengthFrames, segmentFrames, strideFrames } = grid;
  const identity = { version: SPOOL_VERSION, ...pass.identity, lengthFrames, segmentFrames, strideFrames };
  prepareSpoolFolder(pass.folder, identity);
  borrowStems(pass, identity);
  using spools = new SpoolSet(pass, grid);
  const finished = spools.finishedSegments;
  const joints = makeJoints(pass, grid, spools.stems);
  pass.onSpooled?.(finished * grid.strideFrames);
  const first = spools.stems.length === 0 ? grid.segmentCount : Math.max(0, finished - 1);
  await forEachAhead(
    { from: first, to: grid.segmentCount },
    (index) => separateSegment({ pass, grid, index, stems: spools.stems }),
    (segment, index) => {
      const stretches = joinSegment(joints, segment, index);
      if (index >= finished) spools.append(stretches);
      pass.onSpooled?.(Math.max(finished, index + 1) * grid.strideFrames);
      pass.onProgress((index + 1) / grid.segmentCount);
    },
  );
  pass.onSpooled?.(grid.lengthFrames);
  for (const stem of spools.stems) {
    pass.cache?.stems.keep({ madeFrom: identity, stem, path: spoolPath(pass.folder, stem) }, pass.cache.user);
  }
}

function borrowStems({ cache, folder, input, stems }: NetworkPass, madeFrom: NetworkPass["identity"]): void {
  const sizeBytes = toPcmBytes(input);
  for (const stem of stems) {
    cache?.stems.lend({ madeFrom, stem, path: spoolPath(folder, stem), sizeBytes }, cache.user);
  }
}

/** The spools that are not complete yet, cut to the strides that all of them have. */
class SpoolSet implements Disposable {
  readonly finishedSegments: number;
  readonly #spools = new Map<string, StemSpool>();

  constructor(pass: NetworkPass, grid: SegmentGrid) {
    for (const stem of pass.stems) {
      const spool = new StemSpool(spoolPath(pass.folder, stem), pass.input.channels);
      if (spool.lengthFrames === grid.lengthFrames) spool[Symbol.dispose]();
      else this.#spools.set(stem, spool);
    }
    const lengths = [...this.#spools.values()].map((spool) => spool.lengthFrames);
    const wholeStrides = Math.floor(Math.min(grid.lengthFrames, ...lengths) / grid.strideFrames);
    // The last stretch may be longer than a stride: whole strides of it are not the whole of it.
    this.finishedSegments = Math.min(grid.segmentCount - 1, wholeStrides);
    for (const spool of this.#spools.values()) spool.truncate(this.finishedSegments * grid.strideFrames);
  }

  get stems(): string[] {
    return [...this.#spools.keys()];
  }

  append(stretches: StemPlanes): void {
    for (const [stem, spool] of this.#spools) spool.append(stretches.get(stem) ?? []);
  }

  [Symbol.dispose](): void {
    for (const spool of this.#spools.values()) spool[Symbol.dispose]();
  }
}

/** One overlap-add for each stem and input channel. */
type Joints = Map<string, OverlapAdd[]>;

function makeJoints(pass: NetworkPass, grid: SegmentGrid, stems: readonly string[]): Joints {
  const fadeIn = makeFadeIn(grid);
  return new Map(
    stems.map((stem) => [
      stem,
      Array.from({ length: pass.input.channels }, () => new OverlapAdd(grid, fadeIn)),
    ]),
  );
}

/** The planes of each stem, by channel. */
type StemPlanes = Map<string, Float32Array[]>;

/** Runs every lane of one segment and gives what the network makes of the frames that the segment covers. */
async function separateSegment(work: {
  pass: NetworkPass;
  grid: SegmentGrid;
  index: number;
  stems: readonly string[];
}): Promise<StemPlanes> {
  const { pass, grid, index, stems } = work;
  const span = segmentSpan(grid, index);
  await pass.whenReadable?.(Math.min(grid.lengthFrames, span.windowStartFrame + grid.segmentFrames));
  const window = pass.input.read(span.windowStartFrame, grid.segmentFrames);
  const separated: StemPlanes = new Map(stems.map((stem) => [stem, []]));
  for (const [laneIndex, lane] of pass.lanes.entries()) {
    const output = await separateLane(pass.network, toLaneInput(lane, window), {
      stems,
      onProgress: (fraction) =>
        pass.onProgress((index + (laneIndex + fraction) / pass.lanes.length) / grid.segmentCount),
    });
    for (const [stem, planes] of separated) {
      const sides = fromLaneOutput(lane, output.get(stem) ?? []);
      lane.forEach((channel, side) => {
        const plane = sides[side]?.subarray(span.marginFrames, span.marginFrames + span.lengthFrames);
        if (plane) planes[channel] = plane;
      });
    }
  }
  return separated;
}

/** Gives, for each stem, the planes that are finished with this segment. */
function joinSegment(joints: Joints, segment: StemPlanes, index: number): StemPlanes {
  return new Map(
    [...segment].map(([stem, planes]) => [
      stem,
      planes.flatMap((plane, channel) => joints.get(stem)?.[channel]?.add(index, plane) ?? []),
    ]),
  );
}

/** Digital silence is not run: the network scales by the segment's level and would answer with nothing. */
async function separateLane(
  network: StemNetwork,
  sides: [Float32Array, Float32Array],
  { stems, onProgress }: { stems: readonly string[]; onProgress: (fraction: number) => void },
): Promise<Map<string, Float32Array[]>> {
  if (sides.some((side) => side.some((value) => value !== 0)))
    return network.separate(sides, stems, onProgress);
  const silence = () => new Float32Array(network.segmentFrames);
  return new Map(stems.map((stem) => [stem, [silence(), silence()]]));
}
