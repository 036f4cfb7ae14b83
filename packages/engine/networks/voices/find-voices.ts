import type { FrameSource } from "../../dsp/frame-source.ts";
import type { SpeechRegion } from "../silero-vad/speech-regions.ts";
import { type Cepstra, ROWS_PER_SECOND, type XVector } from "../x-vector/x-vector.ts";
import { clusterVoices, findLargest } from "./cluster-voices.ts";

/** Speakers are decided every 20 ms. */
export const STEPS_PER_SECOND = 50;
/** Nobody. */
export const NOBODY = -1;
const ROWS_PER_STEP = ROWS_PER_SECOND / STEPS_PER_SECOND;
const WINDOW_ROWS = 1.5 * ROWS_PER_SECOND;
const HOP_ROWS = WINDOW_ROWS / 2;
const VOICES_MAX = 8;
/** Anyone who speaks less than this, or than a share of all speech if that is less, is not a separate person. */
const LEAST_SPEECH_SECONDS = 3;
const LEAST_SPEECH_SHARE = 0.08;
/** Of a difference in likeness: at this much, one of two is three times as likely as the other. */
const LIKENESS_SCALE = 0.1;

/** Who speaks in each step, where one speaks: the nearest person, and how sure that is, 0 to 1. */
export type Turns = { voiceCount: number; people: Int8Array; confidence: Float32Array };

/** What to expect: a number of people, or two unless it is plainly one. */
export type ExpectedVoices = { voiceCount?: number; pairSimilarity?: number };

export const PAIR: ExpectedVoices = { pairSimilarity: 0.42 };

type HeardWindow = { firstRow: number; weights: Float32Array; embedding: Float32Array };

/** Who speaks when in a mono recording at 16 kHz, for one voice at a time. */
export async function findVoices(
  recording: FrameSource,
  speech: readonly SpeechRegion[],
  options: { network: XVector; expected: ExpectedVoices; onProgress: (fraction: number) => void },
): Promise<Turns> {
  const { network, expected, onProgress } = options;
  const cepstra = network.analyse(recording);
  const windows: HeardWindow[] = [];
  for (const [index, region] of speech.entries()) {
    windows.push(...(await hearRegion(network, cepstra, toRows(region, recording.sampleRateHz))));
    onProgress((index + 1) / speech.length);
  }
  onProgress(1);
  const heard = windows.map(({ embedding, weights, firstRow }) => ({
    embedding,
    startSeconds: firstRow / ROWS_PER_SECOND,
    endSeconds: (firstRow + weights.length) / ROWS_PER_SECOND,
    // Windows overlap by half.
    speechSeconds: sum(weights) / ROWS_PER_SECOND / 2,
  }));
  const totalSeconds = heard.reduce((total, { speechSeconds }) => total + speechSeconds, 0);
  const leastSpeechSeconds = Math.min(LEAST_SPEECH_SECONDS, LEAST_SPEECH_SHARE * totalSeconds);
  const { voiceCount, likeness } = clusterVoices(heard, {
    voicesMax: VOICES_MAX,
    leastSpeechSeconds,
    ...expected,
  });
  const stepCount = Math.ceil(cepstra.rows / ROWS_PER_STEP);
  const turns = toTurns({ windows, likeness, voiceCount, stepCount });
  return keepSpeech(turns, speech, recording.sampleRateHz);
}

type Rows = { firstRow: number; endRow: number };

function toRows({ startFrame, endFrame }: SpeechRegion, sampleRateHz: number): Rows {
  const toRow = (frame: number) => Math.round((frame * ROWS_PER_SECOND) / sampleRateHz);
  return { firstRow: toRow(startFrame), endRow: Math.max(toRow(startFrame) + 1, toRow(endFrame)) };
}

/** Windows half over each other; the last one ends with the region. */
async function hearRegion(
  network: XVector,
  cepstra: Cepstra,
  { firstRow, endRow }: Rows,
): Promise<HeardWindow[]> {
  const windows: HeardWindow[] = [];
  for (let at = firstRow; ; at += HOP_ROWS) {
    const isLast = at + WINDOW_ROWS >= endRow;
    const start = isLast ? Math.max(firstRow, endRow - WINDOW_ROWS) : at;
    const weights = new Float32Array(Math.min(WINDOW_ROWS, endRow - start)).fill(1);
    windows.push({ firstRow: start, weights, embedding: await network.embed(cepstra, start, weights) });
    if (isLast) return windows;
  }
}

/** Each step's likeness is that of the windows over it, the nearer ones counting more. */
function toTurns(work: {
  windows: readonly HeardWindow[];
  likeness: readonly Float32Array[];
  voiceCount: number;
  stepCount: number;
}): Turns {
  const { windows, likeness, voiceCount, stepCount } = work;
  const sums = new Float32Array(stepCount * voiceCount);
  const totals = new Float32Array(stepCount);
  windows.forEach(({ firstRow, weights }, index) => {
    const first = Math.floor(firstRow / ROWS_PER_STEP);
    const count = Math.ceil(weights.length / ROWS_PER_STEP);
    for (let n = 0; n < count && first + n < stepCount; n++) {
      const weight = Math.min(n + 1, count - n) ** 2;
      totals[first + n]! += weight;
      for (let who = 0; who < voiceCount; who++)
        sums[(first + n) * voiceCount + who]! += weight * likeness[index]![who]!;
    }
  });
  const people = new Int8Array(stepCount).fill(NOBODY);
  const confidence = new Float32Array(stepCount);
  for (let step = 0; step < stepCount; step++) {
    if (totals[step] === 0) continue;
    const row = sums
      .subarray(step * voiceCount, (step + 1) * voiceCount)
      .map((value) => value / totals[step]!);
    const best = findLargest(row);
    people[step] = best;
    const others = row.reduce((all, value) => all + Math.exp((value - row[best]!) / LIKENESS_SCALE), 0);
    confidence[step] = 1 / others;
  }
  return { voiceCount, people, confidence };
}

function keepSpeech(turns: Turns, speech: readonly SpeechRegion[], sampleRateHz: number): Turns {
  const isSpeech = new Uint8Array(turns.people.length);
  const toStep = (frame: number) => Math.round((frame * STEPS_PER_SECOND) / sampleRateHz);
  for (const { startFrame, endFrame } of speech) isSpeech.fill(1, toStep(startFrame), toStep(endFrame));
  const people = turns.people.map((who, step) => (isSpeech[step] ? who : NOBODY));
  return { ...turns, people };
}

function sum(values: Float32Array): number {
  return values.reduce((total, value) => total + value, 0);
}
