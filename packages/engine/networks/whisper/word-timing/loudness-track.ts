import { makeHannWindow } from "../../../dsp/transforms/hann-window.ts";

/** The times of everything here are in steps of 10 ms. */
export const STEP_SECONDS = 0.01;
const WINDOW_SECONDS = 0.025;
const SILENCE_DB = -90;

/** Loudness around every step, in dBFS. */
export function trackLoudness(samples: Float32Array, sampleRateHz: number): Float64Array {
  const stepFrames = sampleRateHz * STEP_SECONDS;
  const window = makeHannWindow(Math.round(sampleRateHz * WINDOW_SECONDS));
  const track = new Float64Array(Math.ceil(samples.length / stepFrames));
  for (let step = 0; step < track.length; step++) {
    const start = Math.round(step * stepFrames) - (window.length >> 1);
    let power = 0;
    for (let n = Math.max(0, -start); n < window.length && start + n < samples.length; n++) {
      power += (samples[start + n]! * window[n]!) ** 2;
    }
    track[step] = Math.max(SILENCE_DB, 10 * Math.log10(power / window.length + 1e-9));
  }
  return track;
}

/**
 * The probability that a step is speech and not a pause, from its loudness relative to the 10th and 95th percentiles of this audio. Never 0 or
 * 1: the closure of a plosive is as quiet as a pause.
 */
export function rateVoice(track: Float64Array): Float64Array {
  const sorted = track.toSorted();
  const [quiet, loud] = [0.1, 0.95].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  const middle = quiet! + VOICE_LEVEL * (loud! - quiet!);
  return track.map((level) => {
    const share = 1 / (1 + Math.exp((middle - level) / VOICE_SLOPE_DB));
    return Math.min(MAX_SURE, Math.max(1 - MAX_SURE, share));
  });
}

const VOICE_LEVEL = 0.35;
const VOICE_SLOPE_DB = 3;
const MAX_SURE = 0.99;
