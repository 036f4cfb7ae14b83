import { rmSync } from "node:fs";
import { join } from "node:path";
import { checkFinite } from "../check-finite.ts";
import {
  type Chunking,
  countFinalSegments,
  finalFrames,
  firstJoinedSegment,
  makeSegmentGrid,
  OverlapAdd,
  SegmentGains,
  type SegmentGrid,
  segmentSpan,
} from "../dsp/overlap-add.ts";
import { findReadRange, readSegment } from "../dsp/read-segment.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import {
  fromLevel,
  type InputLevel,
  LevelledSource,
  type Levelling,
  levelOfSilence,
  measureLevels,
} from "../dsp/sources/levelled-source.ts";
import { forEachAhead } from "../files/for-each-ahead.ts";
import { toPcmBytes } from "../files/pcm-bytes.ts";
import { prepareSpoolFolder } from "../files/spool-folder.ts";
import type { StemNetwork } from "../networks/stem-network.ts";
import { type ChannelGroup, fromGroupOutput, toGroupInput } from "./channel-groups.ts";
import type { PassSpans, SegmentRange } from "./spans/segment-range.ts";
import type { StemLender } from "./stem-cache.ts";
import { StemSpool } from "./stem-spool.ts";

/** Increase when the same input and weights would give different samples. */
const SPOOL_VERSION = 10;

/** The spools of a pass: what they are made from, and their folder. */
export type PassSpools = {
  network: Pick<StemNetwork, "segmentFrames">;
  chunking: Chunking;
  levelling?: Levelling | undefined;
  /** The input at the network's rate. */
  input: Pick<FrameSource, "channels" | "lengthFrames">;
  stems: readonly string[];
  folder: string;
  /** What the spools depend on: input and weights. Spools made from anything else are discarded. */
  identity: Record<string, string | number>;
  /** The cache of finished stems, if any. */
  cache: StemLender | undefined;
  /** Only these segments, whose chunks are in the spools; all of them by default. */
  range?: SegmentRange;
};

export type NetworkPass = PassSpools & {
  network: StemNetwork;
  input: FrameSource;
  channelGroups: readonly ChannelGroup[];
  /** Resolves when the input can be read up to a frame, if another pass is still making it. */
  whenReadable?: (endFrame: number) => Promise<void>;
  /** Called with the number of spooled frames of every stem; first when the spools exist. */
  onSpooled?: (lengthFrames: number) => void;
  onProgress: (fraction: number) => void;
  /** Spans that other workers may make, in order and without gaps. */
  spans?: PassSpans;
};

export function spoolPath(folder: string, stem: string): string {
  return join(folder, `${stem}.f32`);
}

/** The segments of a pass, and everything its samples depend on. */
export function describePass(pass: PassSpools): {
  grid: SegmentGrid;
  madeFrom: Record<string, string | number>;
} {
  const grid = makeSegmentGrid({
    segmentFrames: pass.network.segmentFrames,
    chunking: pass.chunking,
    lengthFrames: pass.input.lengthFrames,
  });
  const { lengthFrames, segmentFrames, strideFrames } = grid;
  return {
    grid,
    madeFrom: { version: SPOOL_VERSION, ...pass.identity, lengthFrames, segmentFrames, strideFrames },
  };
}

/** The number of segments that all spools already have, from an earlier run or the cache. */
export async function countSpooledSegments(pass: PassSpools): Promise<number> {
  const { grid, madeFrom } = describePass(pass);
  prepareSpoolFolder(pass.folder, madeFrom);
  await borrowStems(pass, madeFrom);
  using spools = new SpoolSet(pass, grid);
  return spools.stems.length === 0 ? grid.segmentCount : spools.finishedSegments;
}

/**
 * Runs the network over the input, segment by segment, and appends every finished chunk to the stems' spools. A killed pass resumes after its last
 * final frames and repeats only the segments before them that reach beyond, for their tails. The same happens after a span made by another worker.
 */
export async function runNetworkPass(pass: NetworkPass): Promise<void> {
  const { grid, madeFrom } = describePass(pass);
  prepareSpoolFolder(pass.folder, madeFrom);
  await borrowStems(pass, madeFrom);
  using spools = new SpoolSet(pass, grid);
  pass.onSpooled?.(finalFrames(grid, spools.finishedSegments));
  if (spools.stems.length > 0) await fillSpools(pass, grid, spools);
  pass.onSpooled?.(finalFrames(grid, toRange(pass, grid).to));
  for (const stem of spools.stems) {
    pass.cache?.keep({ madeFrom, stem, path: spoolPath(pass.folder, stem) });
  }
}

async function fillSpools(pass: NetworkPass, grid: SegmentGrid, spools: SpoolSet): Promise<void> {
  const { channelGroups, levelling } = pass;
  if (levelling) await pass.whenReadable?.(grid.lengthFrames);
  const levels = levelling && measureLevels(pass.input, channelGroups, levelling);
  const input = levels ? new LevelledSource(pass.input, channelGroups, levels) : pass.input;
  let joined = spools.finishedSegments;
  using progress = new PassProgress(pass, toRange(pass, grid), joined);
  let made: { joints: Joints; next: number } | undefined;
  const advance = (segments: number) => {
    joined = segments;
    pass.onSpooled?.(finalFrames(grid, joined));
  };
  const makeHere = async (to: number) => {
    if (made?.next !== joined)
      made = { joints: makeJoints(pass, grid, spools.stems), next: firstJoinedSegment(grid, joined) };
    const { joints, next } = made;
    await forEachAhead(
      { from: next, to },
      (index) =>
        separateSegment({
          ...{ pass, grid, index, input, levels, stems: spools.stems },
          onProgress: (fraction) => progress.tell(index + fraction),
        }),
      (segment, index) => {
        const chunks = joinSegment(joints, segment, index);
        if (index >= joined) {
          spools.append(chunks);
          advance(index + 1);
        }
        progress.tell(index + 1);
      },
    );
    made.next = to;
  };

  for (const [index, { from, to }] of (pass.spans?.ranges ?? [toRange(pass, grid)]).entries()) {
    if (joined >= to) continue;
    const files = await pass.spans?.take(index);
    if (files === undefined) await makeHere(to);
    else {
      const startFrame = finalFrames(grid, joined) - finalFrames(grid, from);
      const lengthFrames = finalFrames(grid, to) - finalFrames(grid, joined);
      await spools.appendFiles(files, { startFrame, lengthFrames });
      advance(to);
      progress.tell(to);
    }
  }
}

/** Progress of a pass: segments done here, and the share that other workers have done of the rest. */
class PassProgress implements Disposable {
  readonly #pass: NetworkPass;
  readonly #range: SegmentRange;
  readonly #stop: (() => void) | undefined;
  #segments: number;

  constructor(pass: NetworkPass, range: SegmentRange, segments: number) {
    this.#pass = pass;
    this.#range = range;
    this.#segments = segments;
    this.#stop = pass.spans?.onElsewhere(() => this.tell(this.#segments));
  }

  /** Reports how many segments are done, counted from the first. */
  tell(segments: number): void {
    this.#segments = segments;
    const { from, to } = this.#range;
    this.#pass.onProgress((segments - from + this.#countElsewhere()) / (to - from));
  }

  #countElsewhere(): number {
    const { spans } = this.#pass;
    return (spans?.ranges ?? []).reduce(
      (sum, { from, to }, index) =>
        from < this.#segments ? sum : sum + (to - from) * (spans?.shareElsewhere(index) ?? 0),
      0,
    );
  }

  [Symbol.dispose](): void {
    this.#stop?.();
  }
}

const toRange = ({ range }: PassSpools, grid: SegmentGrid): SegmentRange =>
  range ?? { from: 0, to: grid.segmentCount };

async function borrowStems(
  { cache, folder, input, stems }: PassSpools,
  madeFrom: PassSpools["identity"],
): Promise<void> {
  const sizeBytes = toPcmBytes(input);
  for (const stem of stems) await cache?.lend({ madeFrom, stem, path: spoolPath(folder, stem), sizeBytes });
}

/** The incomplete spools, truncated to the strides that all of them have. */
class SpoolSet implements Disposable {
  readonly finishedSegments: number;
  readonly #spools = new Map<string, StemSpool>();

  constructor(pass: PassSpools, grid: SegmentGrid) {
    const range = toRange(pass, grid);
    const startFrame = finalFrames(grid, range.from);
    const wholeFrames = finalFrames(grid, range.to) - startFrame;
    for (const stem of pass.stems) {
      const spool = new StemSpool(spoolPath(pass.folder, stem), pass.input.channels);
      if (spool.lengthFrames === wholeFrames) spool[Symbol.dispose]();
      else this.#spools.set(stem, spool);
    }
    const lengths = [...this.#spools.values()].map((spool) => spool.lengthFrames);
    const finished = countFinalSegments(grid, startFrame + Math.min(wholeFrames, ...lengths));
    // Some spool is incomplete, so the last segment is still to be joined.
    this.finishedSegments = Math.max(range.from, Math.min(range.to - 1, finished));
    const keptFrames = finalFrames(grid, this.finishedSegments) - startFrame;
    for (const spool of this.#spools.values()) spool.truncate(keptFrames);
  }

  get stems(): string[] {
    return [...this.#spools.keys()];
  }

  append(chunks: StemPlanes): void {
    for (const [stem, spool] of this.#spools) spool.append(chunks.get(stem) ?? []);
  }

  /** Appends chunks made by other workers, starting at a frame of their files, and deletes the files. */
  async appendFiles(
    paths: ReadonlyMap<string, string>,
    chunk: { startFrame: number; lengthFrames: number },
  ): Promise<void> {
    for (const [stem, spool] of this.#spools) {
      const path = paths.get(stem);
      if (path === undefined) throw new Error(`a span has no file for ${stem}`);
      await spool.appendFile(path, chunk);
      rmSync(path);
    }
  }

  [Symbol.dispose](): void {
    for (const spool of this.#spools.values()) spool[Symbol.dispose]();
  }
}

/** One overlap-add for each stem and input channel. */
type Joints = Map<string, OverlapAdd[]>;

function makeJoints(pass: NetworkPass, grid: SegmentGrid, stems: readonly string[]): Joints {
  const gains = new SegmentGains(grid);
  return new Map(
    stems.map((stem) => [stem, Array.from({ length: pass.input.channels }, () => new OverlapAdd(gains))]),
  );
}

/** The planes of each stem, by channel. */
type StemPlanes = Map<string, Float32Array[]>;

/** Runs every channel group of one segment; returns the network's output for the frames it covers. */
async function separateSegment(work: {
  pass: NetworkPass;
  grid: SegmentGrid;
  index: number;
  input: FrameSource;
  levels: readonly InputLevel[] | undefined;
  stems: readonly string[];
  onProgress: (fraction: number) => void;
}): Promise<StemPlanes> {
  const { pass, grid, index, input, levels, stems, onProgress } = work;
  const span = segmentSpan(grid, index);
  await pass.whenReadable?.(findReadRange(grid, index).toFrame);
  const window = readSegment(input, grid, index);
  const separated: StemPlanes = new Map(stems.map((stem) => [stem, []]));
  for (const [groupIndex, group] of pass.channelGroups.entries()) {
    const output = await separateGroup(pass.network, toGroupInput(group, window), {
      stems,
      level: levels?.[groupIndex],
      onProgress: (fraction) => onProgress((groupIndex + fraction) / pass.channelGroups.length),
    });
    for (const [stem, planes] of separated) {
      const sides = fromGroupOutput(group, output.get(stem) ?? []);
      group.forEach((channel, side) => {
        const plane = sides[side]?.subarray(span.marginFrames, span.marginFrames + span.lengthFrames);
        if (plane) planes[channel] = plane;
      });
    }
  }
  return separated;
}

/** Returns the planes of each stem that this segment completes. */
function joinSegment(joints: Joints, segment: StemPlanes, index: number): StemPlanes {
  return new Map(
    [...segment].map(([stem, planes]) => [
      stem,
      planes.flatMap((plane, channel) => joints.get(stem)?.[channel]?.add(index, plane) ?? []),
    ]),
  );
}

/** Digital silence is skipped: the network scales by the segment's level and would only return silence. */
async function separateGroup(
  network: StemNetwork,
  sides: [Float32Array, Float32Array],
  {
    stems,
    level,
    onProgress,
  }: { stems: readonly string[]; level: InputLevel | undefined; onProgress: (fraction: number) => void },
): Promise<Map<string, Float32Array[]>> {
  const silent = level ? levelOfSilence(level) : 0;
  if (sides.some((side) => side.some((value) => value !== 0 && value !== silent))) {
    const separated = await network.separate(sides, stems, onProgress);
    if (level)
      for (const [stem, planes] of separated)
        separated.set(
          stem,
          planes.map((plane) => fromLevel(plane, level)),
        );
    // Before they reach the spools, which are checkpoints and may be cached.
    for (const planes of separated.values()) checkFinite(planes);
    return separated;
  }
  const silence = () => new Float32Array(sides[0].length);
  return new Map(stems.map((stem) => [stem, [silence(), silence()]]));
}
