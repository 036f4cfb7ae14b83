import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { TimeSpan } from "../text/fill-times.ts";

const LEVEL_SECONDS = 0.05;
const READ_LEVELS = 200;
/** Sound is voice if it is at most this much quieter than the recognised words. */
const QUIETER_DB = 25;
/** Shorter spans are breath and reverberation. */
const MIN_SECONDS = 0.2;
const SILENCE_DB = -90;

/** Where the recording is as loud as its recognised words but none was recognised. */
export function findUnrecognised(source: FrameSource, spoken: readonly TimeSpan[]): TimeSpan[] {
  const levels = measureLevels(source);
  const isSpoken = markSpoken(levels.length, spoken);
  const loudness = levels.filter((_, n) => isSpoken[n] === 1).sort();
  const least = (loudness[loudness.length >> 1] ?? 0) - QUIETER_DB;
  const spans: TimeSpan[] = [];
  let start: number | undefined;
  for (let n = 0; n <= levels.length; n++) {
    const isVoice = n < levels.length && isSpoken[n] === 0 && (levels[n] ?? SILENCE_DB) >= least;
    if (isVoice) start ??= n;
    else if (start !== undefined) {
      if ((n - start) * LEVEL_SECONDS >= MIN_SECONDS) {
        spans.push({ startSeconds: start * LEVEL_SECONDS, endSeconds: n * LEVEL_SECONDS });
      }
      start = undefined;
    }
  }
  return spans;
}

/** In dBFS. */
function measureLevels(source: FrameSource): Float32Array {
  const frames = Math.round(LEVEL_SECONDS * source.sampleRateHz);
  const levels = new Float32Array(Math.ceil(source.lengthFrames / frames));
  for (let first = 0; first < levels.length; first += READ_LEVELS) {
    const [samples = new Float32Array()] = source.read(first * frames, READ_LEVELS * frames);
    for (let n = 0; n < READ_LEVELS && first + n < levels.length; n++) {
      let power = 0;
      for (let frame = n * frames; frame < (n + 1) * frames; frame++) power += (samples[frame] ?? 0) ** 2;
      levels[first + n] = Math.max(SILENCE_DB, 10 * Math.log10(power / frames + 1e-12));
    }
  }
  return levels;
}

function markSpoken(length: number, spoken: readonly TimeSpan[]): Uint8Array {
  const marks = new Uint8Array(length);
  for (const { startSeconds, endSeconds } of spoken) {
    marks.fill(1, Math.floor(startSeconds / LEVEL_SECONDS), Math.ceil(endSeconds / LEVEL_SECONDS));
  }
  return marks;
}
