import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  countFinalSegments,
  finalFrames,
  firstJoinedSegment,
  type SegmentGrid,
} from "../../dsp/overlap-add.ts";
import { findReadRange } from "../../dsp/read-segment.ts";
import { toSampleRate } from "../../dsp/resampling/resampled-source.ts";
import { ShiftedSource } from "../../dsp/sources/shifted-source.ts";
import { toPcmBytes } from "../../files/pcm-bytes.ts";
import { PcmFileSource } from "../../files/pcm-file-source.ts";
import { isStemManifest, type Manifest } from "../../manifests/manifest.ts";
import type { StemNetworks } from "../../networks/stem-network.ts";
import { loadDecodedInput } from "../../targets/decoded-input.ts";
import type { OpenInput } from "../../targets/open-input.ts";
import type { StemPass } from "../../targets/plan-targets.ts";
import { toSystemError } from "../../targets/to-engine-error.ts";
import { planChannelGroups } from "../channel-groups.ts";
import { type PassSpools, runNetworkPass, spoolPath } from "../network-pass.ts";
import { identifyPass, toNetworkShape, toStartFrame } from "../pass-identity.ts";
import { WriteProgress } from "../write-progress.ts";
import { describeSpanPass } from "./describe-span-pass.ts";
import { RangeSource } from "./range-source.ts";
import { cutAtFrames, type SegmentRange } from "./segment-range.ts";
import type { SpanPart, SpanPass } from "./span-exchange.ts";

/** One span of an input, to be made for another engine. */
export type SpanRequest = {
  inputPath: string;
  /** Holds the decoded input and the finished part of the span; another run with the same folder resumes. */
  workDir: string;
  part: SpanPart;
  index: number;
};

/** A stem of the span: a byte range in a file of raw floats. */
export type SpanFile = { pass: string; stem: string; path: string; startByte: number; sizeBytes: number };

export type SpanResult =
  | { kind: "made"; files: SpanFile[] }
  /** This machine has other weights or another provider, so the samples would not match the rest. */
  | { kind: "unfit" };

/** The folder of a span in a work folder; not needed once the span is delivered. */
export const toSpanDir = (workDir: string, { part, index }: Pick<SpanRequest, "part" | "index">): string =>
  join(workDir, "spans", part.key, String(index));

type Step = {
  spanPass: SpanPass;
  pass: StemPass;
  spools: PassSpools & { range: SegmentRange };
  grid: SegmentGrid;
  /** The span's own segments of the pass; passes that read it may need more. */
  own: SegmentRange;
  gauge: WriteProgress;
};

type SpanRun = { networks: StemNetworks; input: OpenInput };

export async function runSpan(
  request: SpanRequest,
  options: {
    networks: StemNetworks;
    manifests: readonly Manifest[];
    onProgress: (fraction: number) => void;
  },
): Promise<SpanResult> {
  const { networks, manifests, onProgress } = options;
  try {
    const decoded = await loadDecodedInput({ ...request, onStart: () => {}, onProgress: () => {} });
    using source = new PcmFileSource(decoded.pcmPath, decoded.info);
    const run: SpanRun = { networks, input: { ...decoded, source } };
    const passes = findPasses(request.part, manifests);
    const steps = passes && (await planSteps(run, request, passes));
    if (steps === undefined) return { kind: "unfit" };
    const tell = weighProgress(steps, onProgress);
    const works = steps.map((step) => runStep(run, steps, step, (fraction) => tell(step, fraction)));
    await Promise.allSettled(works);
    await Promise.all(works);
    return { kind: "made", files: steps.flatMap((step) => listFiles(run, step)) };
  } catch (error) {
    throw toSystemError(error);
  }
}

/** The passes, resolved to installed networks; undefined if one is missing. */
function findPasses(
  { passes }: SpanPart,
  manifests: readonly Manifest[],
): { spanPass: SpanPass; pass: StemPass }[] | undefined {
  const found: { spanPass: SpanPass; pass: StemPass }[] = [];
  for (const spanPass of passes) {
    const { network, startShare, stems } = spanPass;
    const manifest = manifests.filter(isStemManifest).find(({ id }) => id === network);
    if (manifest === undefined) return undefined;
    const { reads } = manifest;
    const readStep = reads && found.find(({ pass }) => pass.manifest.id === reads.network);
    if (reads && !readStep) return undefined;
    const pass = { manifest, startShare, stems, targets: [] };
    found.push({
      spanPass,
      pass: { ...pass, reads: reads && readStep && { pass: readStep.pass, stem: reads.stem } },
    });
  }
  return found;
}

/** Undefined if a pass would be made from anything else than the rest of it. */
async function planSteps(
  run: SpanRun,
  request: SpanRequest,
  passes: { spanPass: SpanPass; pass: StemPass }[],
): Promise<Step[] | undefined> {
  const steps: Step[] = [];
  for (const { spanPass, pass } of passes) {
    const { manifest, startShare, stems } = pass;
    const { network } = await run.networks.getNetwork(manifest);
    const startFrame = toStartFrame(manifest, startShare);
    const lengthFrames = toNetworkShape(run.input, manifest).lengthFrames - startFrame;
    const spools: PassSpools = {
      network,
      chunking: manifest.chunking,
      levelling: manifest.levelling,
      input: { channels: run.input.info.channels, lengthFrames },
      stems,
      folder: join(toSpanDir(request.workDir, request), spanPass.name),
      identity: await identifyPass(run, pass),
      cache: undefined,
    };
    const { grid, madeFrom } = describeSpanPass(spools);
    if (!isDeepStrictEqual(madeFrom, spanPass.madeFrom)) return undefined;
    const own = cutAtFrames(grid, { startFrame, cutFrames: request.part.cutFrames })[request.index];
    if (own === undefined) return undefined;
    steps.push({ spanPass, pass, spools: { ...spools, range: own }, grid, own, gauge: new WriteProgress() });
  }
  // In reverse: passes come after the ones they read.
  for (const step of steps.toReversed()) widenHeard(steps, step);
  return steps;
}

const findReadStep = (steps: readonly Step[], { pass }: Step) =>
  steps.find((other) => other.pass === pass.reads?.pass);

/** Extends the pass being read to cover the windows of these segments. */
function widenHeard(steps: readonly Step[], step: Step): void {
  const readStep = findReadStep(steps, step);
  const { from, to } = step.spools.range;
  if (readStep === undefined || from === to) return;
  const shift =
    toStartFrame(step.pass.manifest, step.pass.startShare) -
    toStartFrame(readStep.pass.manifest, readStep.pass.startShare);
  const first = firstJoinedSegment(step.grid, from);
  const read = Array.from({ length: to - first }, (_, n) => findReadRange(step.grid, first + n));
  const fromFrame = Math.min(...read.map((range) => range.fromFrame));
  const toFrame = Math.max(...read.map((range) => range.toFrame));
  const toSegment = (frame: number) =>
    Math.min(readStep.grid.segmentCount - 1, countFinalSegments(readStep.grid, frame + shift));
  const { range } = readStep.spools;
  const needed = { from: toSegment(fromFrame), to: toSegment(toFrame - 1) + 1 };
  readStep.spools.range =
    range.from === range.to
      ? needed
      : { from: Math.min(range.from, needed.from), to: Math.max(range.to, needed.to) };
}

async function runStep(
  run: SpanRun,
  steps: readonly Step[],
  step: Step,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { pass, spools, gauge } = step;
  const { manifest, startShare } = pass;
  try {
    using opened = new DisposableStack();
    const readStep = findReadStep(steps, step);
    await readStep?.gauge.reached(0);
    const source = readStep ? opened.use(openReadStem(run, readStep, pass)) : run.input.source;
    const input = toSampleRate(source, toNetworkShape(run.input, manifest));
    const startFrame = toStartFrame(manifest, startShare);
    const { network } = await run.networks.getNetwork(manifest);
    await runNetworkPass({
      ...spools,
      network,
      input: new ShiftedSource(input, -startFrame),
      channelGroups: planChannelGroups(run.input.info),
      ...(readStep && { whenReadable: (endFrame) => readStep.gauge.reached(startFrame + endFrame) }),
      onSpooled: (lengthFrames) => gauge.rise(lengthFrames),
      onProgress,
    });
  } catch (error) {
    gauge.fail(error);
    throw error;
  }
}

/** The locally made part of a stem, at its position in the whole. */
function openReadStem(run: SpanRun, { spools, grid, pass }: Step, { reads }: StemPass): RangeSource {
  return new RangeSource(spoolPath(spools.folder, reads?.stem ?? ""), {
    channels: run.input.info.channels,
    sampleRateHz: pass.manifest.sampleRateHz,
    lengthFrames: grid.lengthFrames,
    fromFrame: finalFrames(grid, spools.range.from),
    toFrame: finalFrames(grid, spools.range.to),
  });
}

/** Weights each pass by its running time. */
function weighProgress(
  steps: readonly Step[],
  onProgress: (fraction: number) => void,
): (step: Step, fraction: number) => void {
  const fractions = new Map<Step, number>();
  const weightOf = ({ pass, spools }: Step) =>
    pass.manifest.passSeconds * (spools.range.to - spools.range.from);
  const total = steps.reduce((sum, step) => sum + weightOf(step), 0);
  return (step, fraction) => {
    fractions.set(step, Math.max(fraction, fractions.get(step) ?? 0));
    onProgress(steps.reduce((sum, one) => sum + weightOf(one) * (fractions.get(one) ?? 0), 0) / total);
  };
}

function listFiles({ input }: SpanRun, { spanPass, spools, grid, own }: Step): SpanFile[] {
  const { channels } = input.info;
  const bytesUpTo = (frame: number) => toPcmBytes({ lengthFrames: frame, channels });
  return spanPass.stems.map((stem) => ({
    pass: spanPass.name,
    stem,
    path: spoolPath(spools.folder, stem),
    startByte: bytesUpTo(finalFrames(grid, own.from) - finalFrames(grid, spools.range.from)),
    sizeBytes: bytesUpTo(finalFrames(grid, own.to) - finalFrames(grid, own.from)),
  }));
}
