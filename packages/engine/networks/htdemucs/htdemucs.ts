import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { loadOnGpu, type SoundGraphFile } from "../sound-graph.ts";
import { getStemIndex, type LoadedNetwork, type StemNetwork } from "../stem-network.ts";
import { buildWhole } from "./graph/build-whole.ts";
import { type HybridBuffers, HybridNetwork } from "./hybrid-network.ts";
import { BIN_COUNT, SegmentSpectrum } from "./segment-spectrum.ts";
import { denormalise, normalise, type StandardScore } from "./standard-score.ts";

const CHANNELS = 2;

/**
 * Hybrid Transformer Demucs: takes a stereo segment as waveform and as spectrogram (real and imaginary parts as channels) and returns each stem in
 * both forms; the stem is their sum.
 */
export class Htdemucs implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #network: HybridNetwork;
  readonly #spectrum: SegmentSpectrum;
  /** As many as there were concurrent segments. */
  readonly #spareBuffers: HybridBuffers[] = [];

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const { segmentFrames } = manifest;
    const onGpu = await loadOnGpu(() => Htdemucs.toSoundGraph(path, manifest), manifest, options);
    if (onGpu) return onGpu;
    const spectrum = new SegmentSpectrum(segmentFrames);
    const network = await HybridNetwork.load(
      path,
      { ...options, executionProvider: "cpu" },
      {
        waveform: [1, CHANNELS, segmentFrames],
        spectrum: [1, 2 * CHANNELS, BIN_COUNT, spectrum.slotCount],
      },
    );
    return { network: new Htdemucs(manifest, network, spectrum), runsOn: network.runsOn };
  }

  /** The same network as one graph, for GPUs. */
  static toSoundGraph(path: string, { segmentFrames, stems }: StemManifest): SoundGraphFile {
    const spectrum = new SegmentSpectrum(segmentFrames);
    const { slotCount, paddedFrames } = spectrum;
    using file = new ByteFile(path);
    const weights = new OnnxWeights(file);
    return {
      file: buildWhole(weights, { segmentFrames, slotCount, stemCount: stems.length }),
      paddedFrames,
      pad: (channel) => spectrum.pad(channel),
    };
  }

  private constructor(manifest: StemManifest, network: HybridNetwork, spectrum: SegmentSpectrum) {
    this.segmentFrames = manifest.segmentFrames;
    this.#stems = manifest.stems;
    this.#network = network;
    this.#spectrum = spectrum;
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>> {
    const buffers = this.#spareBuffers.pop() ?? this.#network.makeBuffers();
    const { waveform, spectrum } = buffers;
    segment.forEach((plane, channel) => {
      waveform.set(plane, channel * this.segmentFrames);
      this.#spectrum.analyse(plane, this.#spectrumPlanes(spectrum, channel));
    });
    const scores = { waveform: normalise(waveform), spectrum: normalise(spectrum) };
    const filled = await this.#network.run(buffers, onProgress);
    this.#spareBuffers.push(filled);
    return new Map(stems.map((stem) => [stem, this.#collect(stem, filled, scores)]));
  }

  #collect(
    stem: string,
    { waveformOut, spectrumOut }: HybridBuffers,
    scores: { waveform: StandardScore; spectrum: StandardScore },
  ): Float32Array[] {
    const stemIndex = getStemIndex(this.#stems, stem);
    return [0, 1].map((channel) => {
      const row = stemIndex * CHANNELS + channel;
      const planes = this.#spectrumPlanes(spectrumOut, row);
      denormalise(planes.re, scores.spectrum);
      denormalise(planes.im, scores.spectrum);
      const plane = this.#spectrum.synthesise(planes);
      const { mean, deviation } = scores.waveform;
      const start = row * this.segmentFrames;
      for (let n = 0; n < plane.length; n++) plane[n]! += waveformOut[start + n]! * deviation + mean;
      return plane;
    });
  }

  #spectrumPlanes(planes: Float32Array, row: number): { re: Float32Array; im: Float32Array } {
    const size = BIN_COUNT * this.#spectrum.slotCount;
    const start = 2 * row * size;
    return {
      re: planes.subarray(start, start + size),
      im: planes.subarray(start + size, start + 2 * size),
    };
  }
}
