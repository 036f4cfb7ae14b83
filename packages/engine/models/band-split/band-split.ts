import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { Buffers } from "../../runtime/graph-chain.ts";
import { GraphThread } from "../../runtime/graph-thread.ts";
import type { StemManifest } from "../../runtime/model-manifest.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import type { LoadedNetwork, StemNetwork } from "../stem-network.ts";
import { applyMasks } from "./apply-masks.ts";
import { type BuiltNetwork, buildNetwork, PLANES } from "./graph/build-network.ts";
import { TrainedWeights } from "./trained-weights.ts";
import { BIN_COUNT, WindowSpectrum } from "./window-spectrum.ts";

/** The spectrum that goes in and the masks of each group that come out. */
type WindowBuffers = Buffers & { mix: Float32Array };

/**
 * Band-split attention networks trained here: the graph takes the spectrum of a stereo window, real and imaginary parts as
 * channels, and gives masks for the stems, which sum to it.
 */
export class BandSplit implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #thread: GraphThread;
  readonly #spectrum: WindowSpectrum;
  readonly #built: Omit<BuiltNetwork, "file">;
  /** As many as there were windows at once. */
  readonly #spareBuffers: WindowBuffers[] = [];
  readonly #stem: Float32Array;

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const spectrum = new WindowSpectrum(manifest.segmentFrames);
    using file = new ByteFile(path);
    const weights = new TrainedWeights(new OnnxWeights(file));
    // Other providers have no products of bytes.
    const mayUseBytes = (options.executionProvider ?? "cpu") === "cpu";
    const inBytes = mayUseBytes && (options.inBytes ?? (await hasExactByteProducts()));
    const { file: graph, ...built } = buildNetwork(weights, { slots: spectrum.slotCount, inBytes });
    const thread = await GraphThread.start({ ...options, keepsMemory: true });
    const inputs = [{ name: "mix", shape: [1, PLANES, spectrum.slotCount, BIN_COUNT] }];
    const outputs = built.outputs.map((shape, group) => ({ name: maskName(group), shape }));
    const executionProvider = await thread.add({ file: graph, inputs, outputs });
    const runsOn = `${executionProvider}${inBytes ? " in bytes" : ""}`;
    return { network: new BandSplit(manifest, { thread, spectrum, built }), runsOn };
  }

  private constructor(
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    parts: { thread: GraphThread; spectrum: WindowSpectrum; built: Omit<BuiltNetwork, "file"> },
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#thread = parts.thread;
    this.#spectrum = parts.spectrum;
    this.#built = parts.built;
    this.#stem = new Float32Array(PLANES * parts.spectrum.slotCount * BIN_COUNT);
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    const buffers = this.#spareBuffers.pop() ?? this.#makeBuffers();
    segment.forEach((window, channel) => {
      this.#spectrum.analyse(window, this.#planesOf(buffers.mix, channel));
    });
    const filled = await this.#thread.run(buffers);
    this.#spareBuffers.push(filled);
    return new Map(stems.map((stem) => [stem, this.#collect(stem, filled)]));
  }

  #collect(stem: string, { mix, ...masks }: WindowBuffers): Float32Array[] {
    const index = this.#stems.indexOf(stem);
    if (index < 0) throw new RangeError(`the network has no stem ${stem}`);
    const values = this.#built.groups.map((_, group) => masks[maskName(group)]!);
    const laid = { groups: this.#built.groups, values, stemCount: this.#stems.length };
    applyMasks(laid, { mix, stem: index, into: this.#stem });
    return [0, 1].map((channel) => this.#spectrum.synthesise(this.#planesOf(this.#stem, channel)));
  }

  #makeBuffers(): WindowBuffers {
    const masks = this.#built.outputs.map((shape, group) => {
      const size = shape.reduce((product, length) => product * length, 1);
      return [maskName(group), new Float32Array(size)] as const;
    });
    return { mix: new Float32Array(this.#stem.length), ...Object.fromEntries(masks) };
  }

  #planesOf(spectrum: Float32Array, channel: number): { re: Float32Array; im: Float32Array } {
    const size = this.#spectrum.slotCount * BIN_COUNT;
    const start = 2 * channel * size;
    return {
      re: spectrum.subarray(start, start + size),
      im: spectrum.subarray(start + size, start + 2 * size),
    };
  }
}

function maskName(group: number): string {
  return `masks${group}`;
}
