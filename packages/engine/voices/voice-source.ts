import { addGained, fadeSteps, hasGain, type VoiceGains } from "../diarization/voice-gains.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { DifferenceSource } from "../dsp/sources/difference-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { VOICE_RATE_HZ } from "../networks/voices/voice-separator.ts";
import type { VoiceStreams } from "./voice-streams.ts";

/** The sources that voices are made from, all at the input's rate and channels. */
export type VoiceSounds = {
  input: FrameSource;
  streams: readonly [FrameSource, FrameSource];
  /** The input above the streams' band, and the first stream's share of it in each step. */
  high: FrameSource | undefined;
  highShares: Float32Array;
};

export function openVoiceSounds(
  input: FrameSource,
  streams: VoiceStreams,
  highShares: Float32Array,
): VoiceSounds {
  const { sampleRateHz, lengthFrames, channels } = input;
  const atNetwork = toSampleRate(input, { sampleRateHz: VOICE_RATE_HZ });
  const open = (stream: 0 | 1): FrameSource =>
    toSampleRate(
      {
        channels,
        sampleRateHz: VOICE_RATE_HZ,
        lengthFrames: atNetwork.lengthFrames,
        read: (startFrame, length) => streams.read(startFrame, length)[stream],
      },
      { sampleRateHz, lengthFrames },
    );
  const hasHigh = sampleRateHz > VOICE_RATE_HZ;
  return {
    input,
    streams: [open(0), open(1)],
    high: hasHigh
      ? new DifferenceSource(input, toSampleRate(atNetwork, { sampleRateHz, lengthFrames }))
      : undefined,
    highShares,
  };
}

/**
 * One voice: the input where it is active alone, its stream where others overlap, with its share of what is above the streams' band, and silence
 * elsewhere.
 */
export class VoiceSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #sounds: VoiceSounds;
  readonly #gains: VoiceGains;

  constructor(sounds: VoiceSounds, gains: VoiceGains) {
    this.channels = sounds.input.channels;
    this.sampleRateHz = sounds.input.sampleRateHz;
    this.lengthFrames = sounds.input.lengthFrames;
    this.#sounds = sounds;
    this.#gains = gains;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const planes = Array.from({ length: this.channels }, () => new Float32Array(lengthFrames));
    const span = { startFrame, lengthFrames, sampleRateHz: this.sampleRateHz };
    const { input, streams, high, highShares } = this.#sounds;
    const add = (source: FrameSource, steps: Uint8Array, factors?: Float32Array) => {
      const gains = fadeSteps(steps, span);
      const read = source.read(startFrame, lengthFrames);
      planes.forEach((plane, channel) => {
        addGained(plane, read[channel] ?? new Float32Array(lengthFrames), gains, factors);
      });
    };
    if (hasGain(this.#gains.input, span)) add(input, this.#gains.input);
    for (const stream of [0, 1] as const) {
      const steps = this.#gains.streams[stream];
      if (!hasGain(steps, span)) continue;
      add(streams[stream], steps);
      if (high === undefined) continue;
      const shares = fadeSteps(highShares, span);
      add(high, steps, stream === 0 ? shares : shares.map((share) => 1 - share));
    }
    return planes;
  }
}
