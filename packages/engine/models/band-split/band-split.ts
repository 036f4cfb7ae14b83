import { readFileSync } from "node:fs";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { StemManifest } from "../../runtime/model-manifest.ts";
import { NetworkSession } from "../../runtime/network-session.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import type { LoadedNetwork, StemNetwork } from "../stem-network.ts";
import { applyMasks, type Masks } from "./apply-masks.ts";
import { type BuiltNetwork, buildNetwork, PLANES } from "./graph/build-network.ts";
import { TrainedWeights } from "./trained-weights.ts";
import { BIN_COUNT, WindowSpectrum } from "./window-spectrum.ts";

/**
 * Band-split attention networks trained here: the graph takes the spectrum of a stereo window, real and imaginary parts as
 * channels, and gives masks for the stems, which sum to it.
 */
export class BandSplit implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #session: NetworkSession;
  readonly #spectrum: WindowSpectrum;
  readonly #mix: Float32Array;
  readonly #masks: Masks;
  readonly #stem: Float32Array;

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const spectrum = new WindowSpectrum(manifest.segmentFrames);
    const weights = new TrainedWeights(new OnnxWeights(readFileSync(path)));
    const built = buildNetwork(weights, spectrum.slotCount);
    const session = await NetworkSession.load(built.file, { ...options, keepsMemory: true });
    const network = new BandSplit(manifest, { session, spectrum, built });
    return { network, runsOn: session.executionProvider };
  }

  private constructor(
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    { session, spectrum, built }: { session: NetworkSession; spectrum: WindowSpectrum; built: BuiltNetwork },
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#session = session;
    this.#spectrum = spectrum;
    this.#mix = session.getInput(0, [1, PLANES, spectrum.slotCount, BIN_COUNT]).data;
    this.#masks = {
      groups: built.groups,
      values: built.outputs.map((shape, index) => session.getOutput(index, shape).data),
      stemCount: stems.length,
    };
    this.#stem = new Float32Array(this.#mix.length);
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    segment.forEach((window, channel) => {
      this.#spectrum.analyse(window, this.#planesOf(this.#mix, channel));
    });
    await this.#session.run();
    return new Map(stems.map((stem) => [stem, this.#collect(stem)]));
  }

  #collect(stem: string): Float32Array[] {
    const index = this.#stems.indexOf(stem);
    if (index < 0) throw new RangeError(`the network has no stem ${stem}`);
    applyMasks(this.#masks, { mix: this.#mix, stem: index, into: this.#stem });
    return [0, 1].map((channel) => this.#spectrum.synthesise(this.#planesOf(this.#stem, channel)));
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
