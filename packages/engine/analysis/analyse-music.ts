import { join } from "node:path";
import { checkFinite } from "../check-finite.ts";
import { LOUDNESS_STEPS_PER_SECOND, LoudnessMeter } from "../dsp/loudness.ts";
import { release } from "../dsp/release.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { type FrameSource, toWrittenSeconds } from "../dsp/sources/frame-source.ts";
import { MonoSource } from "../dsp/sources/mono-source.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import { prepareSpoolFolder } from "../files/spool-folder.ts";
import type { AnalysisManifest } from "../manifests/manifest.ts";
import { ANALYSIS_RATE_HZ, ANALYSIS_STEP_FRAMES } from "../networks/music-analyser/music-features.ts";
import type { MusicNetworks } from "../networks/music-networks.ts";
import { StemSpool } from "../separation/stem-spool.ts";
import type { OpenInput } from "../targets/open-input.ts";
import { interpretRows } from "./interpret-rows.ts";
import type { MusicAnalysis } from "./music-analysis.ts";
import { COLUMNS, inferRows, ROW_WIDTH } from "./score-rows.ts";

/** Increase when the same input and weights would give different numbers. */
const SPOOL_VERSION = 1;
/** Measured seconds of work for each second of input; for the progress only. */
export const ANALYSE_SECONDS = 0.02;
/** With the context on both sides 30 s, the length of the network's training examples. */
const CHUNK_STEPS = 200;
/** What the loudness filters need before a chunk to forget that they started. */
const WARM_UP_SECONDS = 1;
/** Samples beside a step that its true peak depends on. */
const PEAK_REACH = 8;

/** What analysing music needs. */
export type AnalysisRun = { input: OpenInput; workDir: string; networks: MusicNetworks };

/** Beats, chords, keys, sections and loudness. Scores are spooled chunk by chunk, so a killed run resumes after the last chunk. */
export async function analyseMusic(
  manifest: AnalysisManifest,
  { input, workDir, networks, onProgress }: AnalysisRun & { onProgress: (fraction: number) => void },
): Promise<MusicAnalysis> {
  const analyser = await networks.getMusicAnalyser(manifest);
  const folder = join(workDir, manifest.id);
  const { source } = input;
  const recording = toSampleRate(new MonoSource(source), {
    sampleRateHz: ANALYSIS_RATE_HZ,
    isForNetwork: true,
  });
  const stepCount = Math.ceil(recording.lengthFrames / ANALYSIS_STEP_FRAMES);
  const { sha256: weightsSha256 } = manifest.weights;
  prepareSpoolFolder(folder, { version: SPOOL_VERSION, weightsSha256, inputSha256: input.sha256, stepCount });
  const path = join(folder, "scores.f32");
  {
    using spool = new StemSpool(path, ROW_WIDTH);
    // A killed write may have left part of a chunk, and what a chunk's scores are depends on where it starts.
    spool.truncate(
      spool.lengthFrames - (spool.lengthFrames < stepCount ? spool.lengthFrames % CHUNK_STEPS : 0),
    );
    onProgress(spool.lengthFrames / stepCount);
    for (let firstStep = spool.lengthFrames; firstStep < stepCount; firstStep = spool.lengthFrames) {
      const range = { firstStep, stepCount: Math.min(CHUNK_STEPS, stepCount - firstStep) };
      const columns = toColumns(await inferRows(analyser, recording, { ...range, lastStep: stepCount }));
      measureLoudness(source, range, columns);
      checkFinite(columns);
      spool.append(columns);
      onProgress(spool.lengthFrames / stepCount);
    }
  }
  onProgress(1);
  const shape = { channels: ROW_WIDTH, sampleRateHz: LOUDNESS_STEPS_PER_SECOND, lengthFrames: stepCount };
  using scores = new PcmFileSource(path, shape);
  return interpretRows(scores.read(0, stepCount), toWrittenSeconds(source));
}

function toColumns(rows: Float32Array): Float32Array[] {
  const steps = rows.length / ROW_WIDTH;
  return Array.from({ length: ROW_WIDTH }, (_, column) =>
    Float32Array.from({ length: steps }, (_, step) => rows[step * ROW_WIDTH + column]!),
  );
}

/** Of the input as it is: all channels, at its own rate. */
function measureLoudness(
  source: FrameSource,
  { firstStep, stepCount }: { firstStep: number; stepCount: number },
  columns: readonly Float32Array[],
): void {
  const toFrame = (step: number) => Math.round((step * source.sampleRateHz) / LOUDNESS_STEPS_PER_SECOND);
  const meter = new LoudnessMeter(source);
  const first = toFrame(firstStep);
  const before = Math.min(first, WARM_UP_SECONDS * source.sampleRateHz);
  const warmUp = source.read(first - before, before);
  meter.warmUp(warmUp);
  release(warmUp);
  const [powers, peaks] = columns.slice(COLUMNS.loudness[0]) as [Float32Array, Float32Array];
  for (let step = 0; step < stepCount; step++) {
    const [start, end] = [toFrame(firstStep + step), toFrame(firstStep + step + 1)];
    const planes = source.read(start - PEAK_REACH, end - start + 2 * PEAK_REACH);
    const { power, peak } = meter.measure(planes, PEAK_REACH, PEAK_REACH + end - start);
    powers[step] = power;
    peaks[step] = peak;
    release(planes);
  }
}
