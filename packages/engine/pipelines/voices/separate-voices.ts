import { createHash } from "node:crypto";
import { join } from "node:path";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import type { VoiceNetworks } from "../../networks/voice-networks.ts";
import { listOverlaps, placeOverlap, planTurns, type VoicePlan } from "../../networks/voices/plan-voices.ts";
import { measureStreams, noteHighShares } from "../../networks/voices/stream-power.ts";
import { isTogether, planTogether } from "../../networks/voices/talk-together.ts";
import { STEPS_PER_SECOND, type Turns } from "../../networks/voices/turns.ts";
import { SAMPLE_RATE_HZ } from "../../networks/voices/voice-separator.ts";
import type { VoiceManifest } from "../../runtime/manifest.ts";
import type { OpenInput } from "../open-input.ts";
import { prepareSpoolFolder } from "../spool-folder.ts";
import { listWindows, spoolVoices, VoiceStreams } from "./voice-streams.ts";

/** Increase when the same input and weights would give different samples. */
const SPOOL_VERSION = 2;
const STEP_FRAMES = SAMPLE_RATE_HZ / STEPS_PER_SECOND;
/** One minute at a time. */
const MEASURED_STEPS = 60 * STEPS_PER_SECOND;

export type SeparatedVoices = Disposable & {
  streams: VoiceStreams;
  plan: VoicePlan;
  highShares: Float32Array;
};

/** Separates all speech if people talk at the same time throughout, otherwise only around overlaps. */
export async function separateVoices(
  { input, workDir, networks }: { input: OpenInput; workDir: string; networks: VoiceNetworks },
  work: {
    manifest: VoiceManifest;
    turns: Turns;
    variant: string;
    onProgress: (fraction: number) => void;
  },
): Promise<SeparatedVoices> {
  const { manifest, turns, variant, onProgress } = work;
  const source = toSampleRate(input.source, { sampleRateHz: SAMPLE_RATE_HZ });
  const { separator, runsOn } = await networks.getVoiceSeparator(manifest);
  const together = isTogether(turns);
  const overlaps = together ? [] : listOverlaps(turns);
  const isNearOverlap = (startFrame: number, endFrame: number) =>
    overlaps.some(
      ({ around: { from, to } }) => from * STEP_FRAMES < endFrame && to * STEP_FRAMES > startFrame,
    );
  const isSpoken = (startFrame: number, endFrame: number) => hasSpeech(turns, startFrame, endFrame);
  const starts = listWindows(together ? isSpoken : isNearOverlap, source.lengthFrames);
  const folder = join(workDir, manifest.id, variant);
  prepareSpoolFolder(folder, {
    version: SPOOL_VERSION,
    weightsSha256: manifest.weights.sha256,
    runsOn,
    inputSha256: input.sha256,
    windows: createHash("sha256").update(starts.join()).digest("hex"),
  });
  const path = join(folder, "voices.f32");
  await spoolVoices({ separator, source, starts, path, onProgress });
  const streams = new VoiceStreams(path, { channels: source.channels, starts });
  const plan = together ? planTogether(turns) : planTurns(turns);
  const highShares = new Float32Array(turns.people.length).fill(0.5);
  for (const { from, to } of together ? [{ from: 0, to: turns.people.length }] : overlaps) {
    for (let firstStep = from; firstStep < to; firstStep += MEASURED_STEPS) {
      const stepCount = Math.min(MEASURED_STEPS, to - firstStep);
      noteHighShares(highShares, measureStreams(streams, { firstStep, stepCount }));
    }
  }
  for (const overlap of overlaps) {
    const { from, to } = overlap.around;
    placeOverlap(plan, overlap, {
      turns,
      power: measureStreams(streams, { firstStep: from, stepCount: to - from }),
    });
  }
  return { streams, plan, highShares, [Symbol.dispose]: () => streams[Symbol.dispose]() };
}

function hasSpeech({ heardCount }: Turns, startFrame: number, endFrame: number): boolean {
  const toStep = (frame: number) => Math.max(0, Math.floor(frame / STEP_FRAMES));
  return heardCount.subarray(toStep(startFrame), toStep(endFrame)).some((count) => count > 0);
}
