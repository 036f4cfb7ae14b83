import { makeSeededRandom } from "../../packages/engine/dsp/seeded-random.ts";

/** Computed audio, so that tests need no recordings. */

export type Signal = { sampleRateHz: number; channels: Float32Array[] };

/** Reproducible numbers in [−1, 1). */
function makeNoise(seed: number): () => number {
  const random = makeSeededRandom(seed);
  return () => 2 * random() - 1;
}

/** Interleaved 32-bit float wav bytes. */
export function toWav({ sampleRateHz, channels }: Signal): Uint8Array<ArrayBuffer> {
  const lengthFrames = channels[0]?.length ?? 0;
  const bytesPerFrame = 4 * channels.length;
  const bytes = new ArrayBuffer(44 + lengthFrames * bytesPerFrame);
  const view = new DataView(bytes);
  const text = (offset: number, value: string) =>
    new TextEncoder().encodeInto(value, new Uint8Array(bytes, offset));
  text(0, "RIFF");
  view.setUint32(4, bytes.byteLength - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 3, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * bytesPerFrame, true);
  view.setUint16(32, bytesPerFrame, true);
  view.setUint16(34, 32, true);
  text(36, "data");
  view.setUint32(40, lengthFrames * bytesPerFrame, true);
  for (let frame = 0; frame < lengthFrames; frame += 1) {
    channels.forEach((samples, channel) => {
      view.setFloat32(44 + frame * bytesPerFrame + channel * 4, samples[frame] ?? 0, true);
    });
  }
  return new Uint8Array(bytes);
}

/** A second or so of audio that is neither silent nor constant. */
export function makeTone(options: { sampleRateHz: number; channels: number; lengthFrames: number }): Signal {
  const noise = makeNoise(options.lengthFrames);
  const channels = Array.from({ length: options.channels }, (_, channel) =>
    Float32Array.from(
      { length: options.lengthFrames },
      (_, frame) =>
        0.3 * Math.sin((2 * Math.PI * (220 + 110 * channel) * frame) / options.sampleRateHz) + 0.02 * noise(),
    ),
  );
  return { sampleRateHz: options.sampleRateHz, channels };
}
