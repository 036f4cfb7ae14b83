import { CentredSpectrogram, type CentredSpectrogramShape } from "../dsp/transforms/centred-spectrogram.ts";
import type { Spectrogram } from "../dsp/transforms/stft.ts";
import type { ThreadChain } from "../runtime/graph-thread.ts";
import { getStemIndex, type StemNetwork } from "./stem-network.ts";

/** Real and imaginary part. */
const PARTS = 2;

export type SpectrumNetworkShape = CentredSpectrogramShape & {
  /** The bins that the network sees; those above are silent in its stems. */
  binCount: number;
  channels: number;
  /** The signal is extended with silence to this length for the transform. */
  paddedFrames: number;
  /** Whether the bins of a slot are neighbours; otherwise the slots of a bin are. */
  hasBinsInside: boolean;
  /** Bins at the bottom that are silenced before the network. */
  silentBins?: number;
  /** What the stems are multiplied by. */
  gain?: number;
};

type SpectrumBuffers = { spectrum: Float32Array; spectra: Float32Array };

/**
 * A network from the mixture's spectrum `spectrum`, left real, left imaginary, right real, right imaginary, to those of the stems, `spectra`: one plane
 * behind the other.
 */
export class SpectrumNetwork implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #shape: SpectrumNetworkShape;
  readonly #stft: CentredSpectrogram;
  readonly #chain: ThreadChain;
  readonly #linkCount: number;
  /** As many as there were concurrent segments. */
  readonly #spareBuffers: SpectrumBuffers[] = [];

  constructor(
    { segmentFrames, stems }: { segmentFrames: number; stems: readonly string[] },
    { chain, linkCount, shape }: { chain: ThreadChain; linkCount: number; shape: SpectrumNetworkShape },
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#shape = shape;
    this.#stft = new CentredSpectrogram(shape, shape.paddedFrames);
    this.#chain = chain;
    this.#linkCount = linkCount;
  }

  async separate(
    segment: readonly Float32Array[],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>> {
    const { channels, paddedFrames, silentBins = 0, gain = 1 } = this.#shape;
    const buffers = this.#spareBuffers.pop() ?? this.#makeBuffers();
    segment.forEach((plane, channel) => {
      const padded = new Float32Array(paddedFrames);
      padded.set(plane);
      const spectrogram = this.#toSpectrogram(buffers.spectrum, channel);
      this.#stft.forward(padded, spectrogram);
      silence(spectrogram, silentBins);
    });
    const filled = await this.#chain.run(buffers, (count) => onProgress?.(count / this.#linkCount));
    this.#spareBuffers.push(filled);
    return new Map(
      stems.map((stem) => {
        const index = getStemIndex(this.#stems, stem);
        const planes = Array.from({ length: channels }, (_, channel) => {
          const spectrogram = this.#toSpectrogram(filled.spectra, index * channels + channel);
          const plane = this.#stft.inverse(spectrogram).slice(0, this.segmentFrames);
          return gain === 1 ? plane : plane.map((value) => value * gain);
        });
        return [stem, planes];
      }),
    );
  }

  #makeBuffers(): SpectrumBuffers {
    const size = PARTS * this.#shape.channels * this.#shape.binCount * this.#stft.slotCount;
    return { spectrum: new Float32Array(size), spectra: new Float32Array(this.#stems.length * size) };
  }

  #toSpectrogram(planes: Float32Array, row: number): Spectrogram {
    const { binCount, hasBinsInside } = this.#shape;
    const { slotCount } = this.#stft;
    const size = binCount * slotCount;
    const start = PARTS * row * size;
    return {
      re: planes.subarray(start, start + size),
      im: planes.subarray(start + size, start + 2 * size),
      binCount,
      slotCount,
      binStride: hasBinsInside ? 1 : slotCount,
      slotStride: hasBinsInside ? binCount : 1,
    };
  }
}

function silence({ re, im, slotCount, binStride, slotStride }: Spectrogram, bins: number): void {
  for (let bin = 0; bin < bins; bin++) {
    for (let slot = 0; slot < slotCount; slot++) {
      const at = bin * binStride + slot * slotStride;
      re[at] = 0;
      im[at] = 0;
    }
  }
}
