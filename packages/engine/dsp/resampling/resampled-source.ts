import { release } from "../release.ts";
import type { FrameSource } from "../sources/frame-source.ts";
import { kernels, NETWORK_STOPBAND_DB, type PolyphaseKernel } from "./polyphase-kernel.ts";

type ResamplingOptions = {
  sampleRateHz: number;
  lengthFrames?: number;
  /** Only a network processes it: faster, with aliases 70 dB down. */
  isForNetwork?: boolean;
};

/**
 * A source resampled to another rate without delay: frame n keeps its time. Each output frame depends only on input positions, so any chunking returns
 * the same samples.
 */
export class ResampledSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #source: FrameSource;
  readonly #isForNetwork: boolean;
  #kernel: PolyphaseKernel | undefined;

  /** `lengthFrames` defaults to covering the whole source; a conversion back passes the original length. */
  constructor(source: FrameSource, options: ResamplingOptions) {
    this.channels = source.channels;
    this.sampleRateHz = options.sampleRateHz;
    this.#isForNetwork = options.isForNetwork ?? false;
    this.lengthFrames = options.lengthFrames ?? toResampledLength(source, options.sampleRateHz);
    this.#source = source;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const planes = Array.from({ length: this.channels }, () => new Float32Array(lengthFrames));
    const from = Math.max(0, startFrame);
    const to = Math.min(this.lengthFrames, startFrame + lengthFrames);
    if (to <= from) return planes;
    // Made at the first read, so that asking for the length does not wait for it.
    this.#kernel ??= this.#getKernel();
    const { phases, step, taps, reach, convolver } = this.#kernel;
    const floorOf = (frame: number) => Math.floor((frame * step) / phases);
    const firstInput = floorOf(from) - reach;
    const lastInput = floorOf(to - 1) - reach + taps - 1;
    const input = this.#source.read(firstInput, lastInput - firstInput + 1);
    const phase = from * step - floorOf(from) * phases;
    input.forEach((samples, channel) => {
      const plane = planes[channel]!.subarray(from - startFrame, to - startFrame);
      convolver.run({ samples, phase, plane });
    });
    release(input);
    return planes;
  }

  #getKernel(): PolyphaseKernel {
    const rates = { fromHz: this.#source.sampleRateHz, toHz: this.sampleRateHz };
    return kernels.get(this.#isForNetwork ? { ...rates, stopbandDb: NETWORK_STOPBAND_DB } : rates);
  }
}

/** The number of frames that cover a source at another rate. */
export function toResampledLength(
  { lengthFrames, sampleRateHz }: Pick<FrameSource, "lengthFrames" | "sampleRateHz">,
  toHz: number,
): number {
  return Math.ceil((lengthFrames * toHz) / sampleRateHz);
}

/** `source` itself if it already has the requested rate and length. */
export function toSampleRate(source: FrameSource, options: ResamplingOptions): FrameSource {
  const sameLength = (options.lengthFrames ?? source.lengthFrames) === source.lengthFrames;
  return source.sampleRateHz === options.sampleRateHz && sameLength
    ? source
    : new ResampledSource(source, options);
}
