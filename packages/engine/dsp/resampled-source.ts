import type { FrameSource } from "./frame-source.ts";
import { kernels, LISTENING_STOPBAND_DB, type PolyphaseKernel } from "./polyphase-kernel.ts";
import { release } from "./release.ts";

type ResamplingOptions = {
  sampleRateHz: number;
  lengthFrames?: number;
  /** Only a network processes it: faster, with aliases 70 dB down. */
  isForListening?: boolean;
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
  readonly #isForListening: boolean;
  #kernel: PolyphaseKernel | undefined;

  /** `lengthFrames` defaults to covering the whole source; a conversion back passes the original length. */
  constructor(source: FrameSource, options: ResamplingOptions) {
    this.channels = source.channels;
    this.sampleRateHz = options.sampleRateHz;
    this.#isForListening = options.isForListening ?? false;
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
    const kernel = this.#kernel;
    const { phases, step, taps, reach } = kernel;
    const firstInput = Math.floor((from * step) / phases) - reach;
    const lastInput = Math.floor(((to - 1) * step) / phases) - reach + taps - 1;
    const input = this.#source.read(firstInput, lastInput - firstInput + 1);
    input.forEach((samples, channel) => {
      convolve({ samples, firstInput, plane: planes[channel]!, from, to, startFrame, kernel });
    });
    release(input);
    return planes;
  }

  #getKernel(): PolyphaseKernel {
    const rates = { fromHz: this.#source.sampleRateHz, toHz: this.sampleRateHz };
    return kernels.get(this.#isForListening ? { ...rates, stopbandDb: LISTENING_STOPBAND_DB } : rates);
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

function convolve(work: {
  samples: Float32Array;
  firstInput: number;
  plane: Float32Array;
  from: number;
  to: number;
  startFrame: number;
  kernel: PolyphaseKernel;
}): void {
  const { samples, firstInput, plane, from, to, startFrame } = work;
  const { phases, step, taps, reach, coefficients } = work.kernel;
  for (let frame = from; frame < to; frame++) {
    const position = frame * step;
    const floor = Math.floor(position / phases);
    const row = (position - floor * phases) * taps;
    const at = floor - reach - firstInput;
    // Two accumulators break the dependency chain: a third faster than one.
    let even = 0;
    let odd = 0;
    for (let tap = 0; tap < taps; tap += 2) {
      even += samples[at + tap]! * coefficients[row + tap]!;
      odd += samples[at + tap + 1]! * coefficients[row + tap + 1]!;
    }
    plane[frame - startFrame] = even + odd;
  }
}
