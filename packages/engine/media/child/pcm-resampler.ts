import { AV_CHANNEL_ORDER_NATIVE, AV_SAMPLE_FMT_FLT } from "node-av/constants";
import { avChannelLayoutDefault, type ChannelLayout, SoftwareResampleContext } from "node-av/lib";
import { describeLayout } from "./channel-layout.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { mixToStereo } from "./mix-to-stereo.ts";

type Side = { sampleRateHz: number; layout: ChannelLayout };

/** Longer than the filter, at any ratio between 8 and 192 kHz. */
const DRAIN_FRAMES = 4096;

/** Converts interleaved floats to another rate and layout; returns its input if nothing has to change. */
export class PcmResampler {
  readonly #resampler: SoftwareResampleContext | undefined;
  readonly #target: Side;
  readonly #source: Side;
  readonly #isMixed: boolean;
  readonly #givenChannels: number;
  #inputFrames = 0;
  #outputFrames = 0;

  constructor(given: Side, target: Side) {
    const isKept = describeLayout(given.layout) === describeLayout(target.layout);
    // swresample mixes channels by their names.
    this.#isMixed = !isKept && given.layout.order !== AV_CHANNEL_ORDER_NATIVE;
    this.#givenChannels = given.layout.nbChannels;
    const source = this.#isMixed ? { ...given, layout: avChannelLayoutDefault(2) } : given;
    this.#source = source;
    this.#target = target;
    const isSameLayout = describeLayout(source.layout) === describeLayout(target.layout);
    if (isSameLayout && source.sampleRateHz === target.sampleRateHz) return;
    this.#resampler = new SoftwareResampleContext();
    const code = this.#resampler.allocSetOpts2(
      target.layout,
      AV_SAMPLE_FMT_FLT,
      target.sampleRateHz,
      source.layout,
      AV_SAMPLE_FMT_FLT,
      source.sampleRateHz,
    );
    checkFfmpeg(code, "encode-failed", "The sound cannot be resampled for this format");
    checkFfmpeg(this.#resampler.init(), "encode-failed", "The sound cannot be resampled for this format");
  }

  convert(given: Float32Array): Float32Array {
    const samples = this.#isMixed ? mixToStereo(given, this.#givenChannels) : given;
    if (!this.#resampler) return samples;
    const inputFrames = samples.length / this.#source.layout.nbChannels;
    this.#inputFrames += inputFrames;
    return this.#run(this.#resampler, samples, inputFrames);
  }

  /**
   * The rest of the filter's output, up to the exact length. Silence is pushed in, as swresample returns nothing at all for audio shorter than its
   * filter.
   */
  drain(): Float32Array {
    if (!this.#resampler) return new Float32Array(0);
    const wantedFrames = Math.ceil(
      (this.#inputFrames * this.#target.sampleRateHz) / this.#source.sampleRateHz,
    );
    const missingFrames = wantedFrames - this.#outputFrames;
    const silence = new Float32Array(DRAIN_FRAMES * this.#source.layout.nbChannels);
    const tail = this.#run(this.#resampler, silence, DRAIN_FRAMES);
    return tail.subarray(0, missingFrames * this.#target.layout.nbChannels);
  }

  #run(resampler: SoftwareResampleContext, samples: Float32Array, inputFrames: number): Float32Array {
    const channels = this.#target.layout.nbChannels;
    const capacityFrames = resampler.getOutSamples(inputFrames);
    const output = new Float32Array(capacityFrames * channels);
    const input = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const lengthFrames = resampler.convertSync(
      [Buffer.from(output.buffer)],
      capacityFrames,
      [input],
      inputFrames,
    );
    checkFfmpeg(lengthFrames, "encode-failed", "The sound cannot be resampled for this format");
    this.#outputFrames += lengthFrames;
    return output.subarray(0, lengthFrames * channels);
  }
}
