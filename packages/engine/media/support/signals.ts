export type Signal = { sampleRateHz: number; channels: number; samples: Float32Array };

/** Different on every channel and exactly representable in 24 bits, so that lossless files must preserve it. */
export function makeNoise(options: {
  sampleRateHz: number;
  channels: number;
  lengthFrames: number;
  bits?: number;
}): Signal {
  const { sampleRateHz, channels, lengthFrames, bits = 24 } = options;
  const samples = new Float32Array(lengthFrames * channels);
  const steps = 2 ** (bits - 1);
  let state = 12345;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    samples[i] = Math.floor((state / 2 ** 31) * steps) / steps;
  }
  return { sampleRateHz, channels, samples };
}

/** A quiet tone with a full-scale click on every channel at each of the given times. */
export function makeClickTrack(options: {
  sampleRateHz: number;
  channels: number;
  durationSeconds: number;
  clickSeconds: readonly number[];
}): Signal {
  const { sampleRateHz, channels, durationSeconds, clickSeconds } = options;
  const lengthFrames = Math.round(durationSeconds * sampleRateHz);
  const samples = new Float32Array(lengthFrames * channels);
  for (let frame = 0; frame < lengthFrames; frame++) {
    samples.fill(
      0.02 * Math.sin((2 * Math.PI * 440 * frame) / sampleRateHz),
      frame * channels,
      (frame + 1) * channels,
    );
  }
  for (const seconds of clickSeconds) {
    const frame = Math.round(seconds * sampleRateHz);
    samples.fill(0.9, frame * channels, (frame + 1) * channels);
  }
  return { sampleRateHz, channels, samples };
}

/** Offset in frames of the loudest frame within 0.1 s of `seconds`, on the first channel. */
export function findClickOffsetFrames(signal: Signal, seconds: number): number {
  const { samples, channels, sampleRateHz } = signal;
  const expected = Math.round(seconds * sampleRateHz);
  const reach = Math.round(0.1 * sampleRateHz);
  let loudest = expected;
  const level = (frame: number) => Math.abs(samples[frame * channels] ?? 0);
  for (let frame = expected - reach; frame < expected + reach; frame++) {
    if (level(frame) > level(loudest)) loudest = frame;
  }
  return loudest - expected;
}
