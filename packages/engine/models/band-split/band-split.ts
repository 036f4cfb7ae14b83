import type { SessionOptions } from "../../runtime/create-session.ts";
import type { StemManifest } from "../../runtime/model-manifest.ts";
import { NetworkSession, type TensorPort } from "../../runtime/network-session.ts";
import type { LoadedNetwork, StemNetwork } from "../stem-network.ts";
import { BIN_COUNT, WindowSpectrum } from "./window-spectrum.ts";

/** Left and right, real and imaginary part of each. */
const PLANES = 4;

/**
 * Band-split attention networks trained here: the graph takes the spectrum of a stereo window, real and imaginary parts as
 * channels, and gives those of the stems, which sum to it.
 */
export class BandSplit implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #session: NetworkSession;
  readonly #spectrum: WindowSpectrum;
  readonly #mixIn: TensorPort;
  readonly #stemsOut: TensorPort;

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const session = await NetworkSession.load(path, options);
    return { network: new BandSplit(session, manifest), executionProvider: session.executionProvider };
  }

  private constructor(session: NetworkSession, manifest: Pick<StemManifest, "segmentFrames" | "stems">) {
    const { segmentFrames, stems } = manifest;
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#session = session;
    this.#spectrum = new WindowSpectrum(segmentFrames);
    const slots = this.#spectrum.slotCount;
    this.#mixIn = session.getInput(0, [1, PLANES, slots, BIN_COUNT]);
    this.#stemsOut = session.getOutput(0, [1, stems.length, PLANES, slots, BIN_COUNT]);
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    segment.forEach((window, channel) => {
      this.#spectrum.analyse(window, this.#planesOf(this.#mixIn, channel));
    });
    await this.#session.run();
    return new Map(stems.map((stem) => [stem, this.#collect(stem)]));
  }

  #collect(stem: string): Float32Array[] {
    const index = this.#stems.indexOf(stem);
    if (index < 0) throw new RangeError(`the network has no stem ${stem}`);
    return [0, 1].map((channel) =>
      this.#spectrum.synthesise(this.#planesOf(this.#stemsOut, index * 2 + channel)),
    );
  }

  #planesOf(port: TensorPort, row: number): { re: Float32Array; im: Float32Array } {
    const size = this.#spectrum.slotCount * BIN_COUNT;
    const start = 2 * row * size;
    return {
      re: port.data.subarray(start, start + size),
      im: port.data.subarray(start + size, start + 2 * size),
    };
  }
}
