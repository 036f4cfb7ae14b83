import { createHash } from "node:crypto";
import { join } from "node:path";
import { coverWithWindows, type FrameSpan } from "../diarization/cover-with-windows.ts";
import {
  hidesSecond,
  isSimultaneous,
  listSpeech,
  mayHideSecond,
  planSimultaneous,
} from "../diarization/decide-simultaneous-talk.ts";
import { assignOverlap, listOverlaps, planTurns, type VoicePlan } from "../diarization/plan-voices.ts";
import { bridgePauses, type StepRun } from "../diarization/step-runs.ts";
import { measureStreams, noteHighShares, type StreamPower } from "../diarization/stream-power.ts";
import { STEPS_PER_SECOND, type Turns } from "../diarization/turns.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { prepareSpoolFolder } from "../files/spool-folder.ts";
import type { VoiceManifest } from "../manifests/manifest.ts";
import type { VoiceNetworks } from "../networks/voice-networks.ts";
import { VOICE_RATE_HZ } from "../networks/voices/voice-separator.ts";
import type { OpenInput } from "../targets/open-input.ts";
import { spoolVoices, VoiceStreams } from "./voice-streams.ts";
import { N_SPEAKERS } from "./voices-variant.ts";

/** Increase when the same input and weights would give different samples. */
const SPOOL_VERSION = 4;
const STEP_FRAMES = VOICE_RATE_HZ / STEPS_PER_SECOND;
/** At least this much before and after an overlap is in its window. */
const CONTEXT_STEPS = STEPS_PER_SECOND;
/** Up to this pause, voices are followed from window to window. */
const PAUSE_STEPS = 4 * STEPS_PER_SECOND;
/** At most this many windows are tested for a second voice that turns miss. */
const TESTED_WINDOWS = 5;
/** One minute at a time. */
const MEASURED_STEPS = 60 * STEPS_PER_SECOND;

export type SeparatedVoices = Disposable & {
  streams: VoiceStreams;
  plan: VoicePlan;
  highShares: Float32Array;
};

/** Separates all speech if speakers talk at the same time throughout, otherwise only overlaps. */
export async function separateVoices(
  { input, workDir, networks }: { input: OpenInput; workDir: string; networks: VoiceNetworks },
  work: {
    manifest: VoiceManifest;
    turns: Turns;
    variant: string;
    /** The input or a stem of it, and what the samples depend on besides the input. */
    source: FrameSource;
    sourceId: string;
    onProgress: (fraction: number) => void;
  },
): Promise<SeparatedVoices> {
  const { manifest, turns, variant, sourceId, onProgress } = work;
  const source = toSampleRate(work.source, { sampleRateHz: VOICE_RATE_HZ });
  const { separator, runsOn } = await networks.getVoiceSeparator(manifest);
  const place = (runs: readonly StepRun[]) => coverWithWindows(runs.map(toFrames), source.lengthFrames);
  const separate = async (starts: readonly number[], report = onProgress) => {
    const windows = createHash("sha256").update(starts.join()).digest("hex");
    const folder = join(workDir, manifest.id, variant, windows);
    prepareSpoolFolder(folder, {
      version: SPOOL_VERSION,
      weightsSha256: manifest.weights.sha256,
      runsOn,
      inputSha256: input.sha256,
      sourceId,
    });
    const path = join(folder, "voices.f32");
    await spoolVoices({ separator, source, starts, path, onProgress: report });
    return new VoiceStreams(path, { channels: source.channels, starts });
  };
  const everything = { from: 0, to: turns.speakers.length };
  const everywhere = place(bridgePauses(listSpeech(turns), PAUSE_STEPS));
  const isShort = everywhere.length <= TESTED_WINDOWS;
  const isPair = variant !== N_SPEAKERS;
  let together = isSimultaneous(turns, { isPair });
  const isTested = isPair && !together && mayHideSecond(turns, { isShort });
  if (isTested) {
    using some = await separate(pickSpread(everywhere, TESTED_WINDOWS), isShort ? onProgress : () => {});
    together = hidesSecond(turns, measureSpan(some, everything));
  }
  const overlaps = together ? [] : listOverlaps(turns);
  const isEverywhere = together || (isTested && isShort);
  const streams = await separate(isEverywhere ? everywhere : place(overlaps.map(surround)));
  const plan = together ? planSimultaneous(turns) : planTurns(turns);
  const highShares = new Float32Array(turns.speakers.length).fill(0.5);
  for (const span of together ? [everything] : overlaps)
    for (const power of measureSpan(streams, span)) noteHighShares(highShares, power);
  for (const overlap of overlaps) {
    const { from, to } = overlap.around;
    assignOverlap(plan, overlap, {
      turns,
      power: measureStreams(streams, { firstStep: from, stepCount: to - from }),
    });
  }
  return { streams, plan, highShares, [Symbol.dispose]: () => streams[Symbol.dispose]() };
}

function surround({ from, to }: StepRun): StepRun {
  return { from: from - CONTEXT_STEPS, to: to + CONTEXT_STEPS };
}

function toFrames({ from, to }: StepRun): FrameSpan {
  return { from: from * STEP_FRAMES, to: to * STEP_FRAMES };
}

/** At most `most` items, from all over the list. */
function pickSpread<T>(items: readonly T[], most: number): T[] {
  const partOf = (index: number) => Math.floor((index * most) / items.length);
  return items.filter((_, index) => partOf(index) > partOf(index - 1));
}

function* measureSpan(streams: VoiceStreams, { from, to }: StepRun): Generator<StreamPower> {
  for (let firstStep = from; firstStep < to; firstStep += MEASURED_STEPS)
    yield measureStreams(streams, { firstStep, stepCount: Math.min(MEASURED_STEPS, to - firstStep) });
}
