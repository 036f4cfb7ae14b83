import { listStepRuns } from "../../packages/engine/diarization/step-runs.ts";
import { COLLAR_SECONDS } from "./diarization-error.ts";
import { matchVoices } from "./match-voices.ts";
import { type SpokenSpan, STEPS_PER_SECOND, toRows, toStep } from "./spoken-steps.ts";

const MIN_TURN_SECONDS = 2;
const SILENT_DB = -50;

/** Turns of at least two seconds, and how many of them are mostly another voice's where nobody else speaks. */
export type StrayTurns = { turns: number; strayTurns: number };

/** Speech in other people's files. */
export type Leaks = StrayTurns & {
  /** Share of the time in which a file's speaker is silent but the file is above −50 dB of their level. */
  leakedShare: number;
};

export function findStrayTurns(
  truth: readonly SpokenSpan[],
  found: readonly SpokenSpan[],
  stepCount: number,
): StrayTurns {
  const people = [...toRows(truth, stepCount).values()];
  const voices = [...toRows(found, stepCount).values()];
  const { voiceOf } = matchVoices(people, voices);
  let [turns, strayTurns] = [0, 0];
  people.forEach((person, index) => {
    for (const { from, to } of listStepRuns(stepCount, (step) => person[step] === 1)) {
      if (to - from < MIN_TURN_SECONDS * STEPS_PER_SECOND) continue;
      turns += 1;
      const isAlone = (step: number) => people.every((other) => other === person || other[step] === 0);
      const had = voices.map((voice) =>
        voice.subarray(from, to).reduce((sum, value, n) => sum + value * Number(isAlone(from + n)), 0),
      );
      const most = Math.max(0, ...had);
      if (most > 0 && (had[voiceOf[index] ?? -1] ?? 0) < most) strayTurns += 1;
    }
  });
  return { turns, strayTurns };
}

export function findLeaks(
  truth: readonly SpokenSpan[],
  found: readonly SpokenSpan[],
  sound: { planes: readonly Float32Array[]; sampleRateHz: number },
): Leaks {
  const frames = Math.max(0, ...sound.planes.map((plane) => plane.length));
  const stepCount = Math.ceil((frames * STEPS_PER_SECOND) / sound.sampleRateHz);
  const people = [...toRows(truth, stepCount).values()];
  const names = toRows(found, stepCount);
  const voices = [...names.values()];
  const { voiceOf } = matchVoices(people, voices);
  // Files are sorted by name; one without speech has no segments.
  const fileOf = [...names.keys()].map((name) => Number(/\d+$/.exec(name)?.[0]) - 1);
  let [silent, leaked] = [0, 0];
  people.forEach((person, index) => {
    const own = voiceOf[index] ?? -1;
    const plane = sound.planes[fileOf[own] ?? -1];
    if (plane === undefined) return;
    const power = findPower(plane, sound.sampleRateHz, stepCount);
    const talks = widen(person);
    const level = meanOf(power, (step) => person[step] === 1);
    for (let step = 0; step < stepCount; step++) {
      if (talks[step]) continue;
      silent += 1;
      leaked += Number((power[step] ?? 0) > level * 10 ** (SILENT_DB / 10));
    }
  });
  return { ...findStrayTurns(truth, found, stepCount), leakedShare: silent === 0 ? 0 : leaked / silent };
}

/** Adds the collar around speech. */
function widen(person: Uint8Array): Uint8Array {
  const wider = person.slice();
  const reach = toStep(COLLAR_SECONDS);
  person.forEach((speaks, step) => {
    if (speaks) wider.fill(1, Math.max(0, step - reach), step + reach + 1);
  });
  return wider;
}

function findPower(plane: Float32Array, sampleRateHz: number, stepCount: number): Float32Array {
  const length = sampleRateHz / STEPS_PER_SECOND;
  return Float32Array.from({ length: stepCount }, (_, step) => {
    const part = plane.subarray(Math.round(step * length), Math.round((step + 1) * length));
    return part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length);
  });
}

function meanOf(values: Float32Array, isCounted: (step: number) => boolean): number {
  const counted = values.filter((_, step) => isCounted(step));
  return counted.reduce((sum, value) => sum + value, 0) / Math.max(1, counted.length);
}
