import type { NamedTensors } from "../../checkpoints/named-tensors.ts";
import { CentredSpectrogram } from "../../dsp/transforms/centred-spectrogram.ts";
import type { Spectrogram } from "../../dsp/transforms/stft.ts";
import type { StemManifest } from "../../manifests/manifest.ts";
import type { Buffers } from "../../runtime/graph-chain.ts";
import type { ThreadChain } from "../../runtime/graph-thread.ts";
import { getStemIndex, type StemNetwork } from "../stem-network.ts";
import { applyBandMasks } from "./apply-band-masks.ts";
import { type Band, listBands } from "./bands.ts";
import { roformerConfigurationSchema } from "./configuration.ts";
import type { RoformerDimensions } from "./read-dimensions.ts";
import { addRoformer, maskName } from "./roformer-chain.ts";

type Shape = Pick<StemManifest, "sampleRateHz" | "channels" | "segmentFrames" | "stems" | "configuration">;

/** The spectrum of a segment and the masks of the requested stems; a run takes ownership of the memory and hands it back. */
type RoformerBuffers = Buffers & { spectrum: Float32Array };

type Parts = {
  chain: ThreadChain;
  linkCount: number;
  maskCount: number;
  shape: Shape;
  bands: readonly Band[];
  stft: CentredSpectrogram;
  binCount: number;
  zeroDc: boolean;
};

/** A RoFormer on the CPU: transforms and masks here, the transformers in a thread. */
export class RoformerNetwork implements StemNetwork {
  readonly segmentFrames: number;
  readonly #parts: Parts;
  /** As many as there were concurrent segments, by the stems they are for. */
  readonly #spareBuffers = new Map<string, RoformerBuffers[]>();
  readonly #stem: Float32Array;

  static async load(
    tensors: NamedTensors,
    dimensions: RoformerDimensions,
    { shape, chain, inBytes }: { shape: Shape; chain: ThreadChain; inBytes: boolean },
  ): Promise<RoformerNetwork> {
    const { channels, segmentFrames, sampleRateHz } = shape;
    const configuration = roformerConfigurationSchema.parse(shape.configuration);
    const { fftSize, hopFrames, isNormalized } = configuration;
    const scaling = isNormalized ? "orthonormal" : "none";
    const stft = new CentredSpectrogram({ fftSize, hopFrames, window: "hann", scaling }, segmentFrames);
    const binCount = fftSize / 2 + 1;
    const bands = listBands(dimensions, { channels, sampleRateHz, fftSize });
    const { hasSkips, zeroDc } = configuration;
    const { slotCount } = stft;
    const spectrumSize = binCount * channels * 2;
    const linkCount = await addRoformer(chain, tensors, {
      dimensions,
      shape: { bands, slotCount, spectrumSize, hasSkips, inBytes },
    });
    const maskCount = slotCount * dimensions.bandSizes.reduce((sum, size) => sum + size, 0);
    return new RoformerNetwork({ chain, linkCount, maskCount, shape, bands, stft, binCount, zeroDc });
  }

  private constructor(parts: Parts) {
    this.segmentFrames = parts.shape.segmentFrames;
    this.#parts = parts;
    this.#stem = this.#makeSpectrum();
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>> {
    if (this.#parts.shape.channels === 2) return this.#infer(segment, stems, onProgress);
    const [left, right] = segment;
    // A mono lane arrives as the same array twice.
    const isMono = left === right;
    const first = await this.#infer([left], stems, (done) => onProgress?.(isMono ? done : done / 2));
    const second = isMono ? first : await this.#infer([right], stems, (done) => onProgress?.((1 + done) / 2));
    return new Map(stems.map((stem) => [stem, [...first.get(stem)!, ...second.get(stem)!]]));
  }

  async #infer(
    channels: readonly Float32Array[],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>> {
    const indexes = stems.map((stem) => getStemIndex(this.#parts.shape.stems, stem));
    const key = indexes.join();
    const spares = this.#spareBuffers.get(key) ?? [];
    this.#spareBuffers.set(key, spares);
    const buffers = spares.pop() ?? this.#makeBuffers(indexes);
    channels.forEach((samples, channel) => {
      this.#parts.stft.forward(samples, this.#toSpectrogram(buffers.spectrum, channel));
    });
    const filled = await this.#parts.chain.run(buffers, (count) =>
      onProgress?.(count / this.#parts.linkCount),
    );
    const separated = new Map(
      stems.map((stem, n) => [stem, this.#takeStem(filled, indexes[n]!, channels.length)] as const),
    );
    spares.push(filled);
    return separated;
  }

  #takeStem(buffers: RoformerBuffers, index: number, channels: number): Float32Array[] {
    const { stft, binCount } = this.#parts;
    const { slotCount } = stft;
    const stride = 2 * channels;
    const into = this.#stem;
    const masks = buffers[maskName(index)]!;
    applyBandMasks({
      bands: this.#parts.bands,
      channels,
      spectrum: buffers.spectrum,
      masks,
      slotCount,
      into,
    });
    if (this.#parts.zeroDc)
      for (let slot = 0; slot < slotCount; slot++)
        into.fill(0, slot * binCount * stride, slot * binCount * stride + stride);
    return Array.from({ length: channels }, (_, channel) =>
      this.#parts.stft.inverse(this.#toSpectrogram(into, channel)),
    );
  }

  /** One channel of interleaved complex values. */
  #toSpectrogram(values: Float32Array, channel: number): Spectrogram {
    const { stft, binCount, shape } = this.#parts;
    const binStride = 2 * shape.channels;
    const planes = { re: values.subarray(2 * channel), im: values.subarray(2 * channel + 1) };
    return { ...planes, binCount, slotCount: stft.slotCount, binStride, slotStride: binCount * binStride };
  }

  #makeBuffers(indexes: readonly number[]): RoformerBuffers {
    const masks = indexes.map((index) => [maskName(index), new Float32Array(this.#parts.maskCount)]);
    return { spectrum: this.#makeSpectrum(), ...Object.fromEntries(masks) };
  }

  #makeSpectrum(): Float32Array {
    const { stft, binCount } = this.#parts;
    const { slotCount } = stft;
    return new Float32Array(slotCount * binCount * this.#parts.shape.channels * 2);
  }
}
