import { mixToMono } from "../../dsp/mix-to-mono.ts";
import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { Buffers } from "../../runtime/graph-chain.ts";
import { GraphThread, type ThreadChain } from "../../runtime/graph-thread.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { applyMasks } from "./apply-masks.ts";
import { type BuiltNetwork, buildNetwork } from "./graph/build-network.ts";
import { countPlanes, type PlaneCount, TrainedWeights } from "./graph/trained-weights.ts";
import { WindowSpectrum } from "./window-spectrum.ts";

/** The input spectrum, `[planes, slots, bins]`, and the masks of each group. */
export type WindowSpectra = Buffers & { mix: Float32Array };

type Parts = {
  chain: ThreadChain;
  spectrum: WindowSpectrum;
  built: Omit<BuiltNetwork, "file">;
  planes: PlaneCount;
  stemCount: number;
};

/**
 * Our band-split attention networks on the CPU: from the spectrum of a window, real and imaginary parts of each channel as planes, to masks of stems
 * that sum to the input. GPUs run everything as one graph (`SoundGraph`).
 */
export class MaskNetwork {
  readonly #parts: Parts;
  /** As many as there were concurrent windows. */
  readonly #spareBuffers: WindowSpectra[] = [];
  readonly #stem: Float32Array;

  static async load(
    path: string,
    shape: { windowFrames: number; transform: { fftSize: number; hopFrames: number } },
    options: SessionOptions,
  ): Promise<{ network: MaskNetwork; runsOn: string }> {
    const spectrum = new WindowSpectrum(shape.windowFrames, shape.transform);
    using file = new ByteFile(path);
    const weights = new TrainedWeights(new OnnxWeights(file));
    const inBytes = options.inBytes ?? (await hasExactByteProducts());
    const { file: graph, ...built } = buildNetwork(weights, { slots: spectrum.slotCount, inBytes });
    const chain = await GraphThread.startChain({ ...options, executionProvider: "cpu", keepsMemory: true });
    const planes = countPlanes(weights.config);
    const inputs = [{ name: "mix", shape: [1, planes, spectrum.slotCount, spectrum.binCount] }];
    const outputs = built.outputs.map((shape, group) => ({ name: maskName(group), shape }));
    await chain.add({ file: graph, inputs, outputs });
    return {
      network: new MaskNetwork({ chain, spectrum, built, planes, stemCount: weights.config.stems }),
      runsOn: inBytes ? "cpu in bytes" : "cpu",
    };
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#stem = this.#makeSpectrum();
  }

  /** Runs the graph on a window with the network's number of channels. Pass the result to `release` when done. */
  async infer(window: readonly Float32Array[]): Promise<WindowSpectra> {
    const buffers = this.#spareBuffers.pop() ?? this.#makeBuffers();
    this.#analyse(window, buffers.mix);
    return this.#parts.chain.run(buffers);
  }

  /** Applies a stem's masks; one array per channel. */
  takeStem({ mix, ...masks }: WindowSpectra, stem: number): Float32Array[] {
    const { built, planes, stemCount, spectrum } = this.#parts;
    const values = built.groups.map((_, group) => masks[maskName(group)]!);
    const { binCount } = spectrum;
    applyMasks(
      { groups: built.groups, values, stemCount },
      { mix, stem, into: this.#stem, planes, binCount },
    );
    return Array.from({ length: planes / 2 }, (_, channel) =>
      spectrum.synthesise(this.#planesOf(this.#stem, channel)),
    );
  }

  /** Runs a network of one channel on the downmix, and applies its masks to each channel, so a sound keeps its position. For each stem, one array per channel. */
  async separateEach(channels: readonly Float32Array[], stems: readonly number[]): Promise<Float32Array[][]> {
    const spectra = await this.infer([mixToMono(channels)]);
    const mixes = channels.map((channel) =>
      channels.length === 1 ? spectra : this.#withMix(spectra, channel),
    );
    const separated = stems.map((stem) => mixes.flatMap((mix) => this.takeStem(mix, stem)));
    this.release(spectra);
    return separated;
  }

  /** The same masks with another signal of the same window. For `takeStem`. */
  #withMix(spectra: WindowSpectra, channel: Float32Array): WindowSpectra {
    const mix = this.#makeSpectrum();
    this.#analyse([channel], mix);
    return { ...spectra, mix };
  }

  release(spectra: WindowSpectra): void {
    this.#spareBuffers.push(spectra);
  }

  #analyse(window: readonly Float32Array[], mix: Float32Array): void {
    window.forEach((samples, channel) => {
      this.#parts.spectrum.analyse(samples, this.#planesOf(mix, channel));
    });
  }

  #makeSpectrum(): Float32Array {
    const { planes, spectrum } = this.#parts;
    return new Float32Array(planes * spectrum.slotCount * spectrum.binCount);
  }

  #makeBuffers(): WindowSpectra {
    const masks = this.#parts.built.outputs.map((shape, group) => {
      const size = shape.reduce((product, length) => product * length, 1);
      return [maskName(group), new Float32Array(size)] as const;
    });
    return { mix: this.#makeSpectrum(), ...Object.fromEntries(masks) };
  }

  #planesOf(mix: Float32Array, channel: number): { re: Float32Array; im: Float32Array } {
    const { slotCount, binCount } = this.#parts.spectrum;
    const size = slotCount * binCount;
    const start = 2 * channel * size;
    return { re: mix.subarray(start, start + size), im: mix.subarray(start + size, start + 2 * size) };
  }
}

function maskName(group: number): string {
  return `masks${group}`;
}
