import type { StemManifest } from "../../runtime/model-manifest.ts";
import type { NetworkSession, TensorPort } from "../../runtime/network-session.ts";
import type { StemNetwork } from "../stem-network.ts";
import { BIN_COUNT, SegmentSpectrum } from "./segment-spectrum.ts";

const CHANNELS = 2;

/**
 * Hybrid Transformer Demucs: the graph takes a stereo segment as waveform and as spectrogram (real and
 * imaginary parts as channels) and gives each stem in both forms; the stem is the sum of the two.
 */
export class Htdemucs implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #session: NetworkSession;
  readonly #spectrum: SegmentSpectrum;
  readonly #waveformIn: TensorPort;
  readonly #spectrumIn: TensorPort;
  readonly #spectrumOut: TensorPort;
  readonly #waveformOut: TensorPort;

  constructor(session: NetworkSession, manifest: Pick<StemManifest, "segmentFrames" | "stems">) {
    const { segmentFrames, stems } = manifest;
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#session = session;
    this.#spectrum = new SegmentSpectrum(segmentFrames);
    const slots = this.#spectrum.slotCount;
    // By position: the graph's names are what its exporter left ("5073").
    this.#waveformIn = session.getInput(0, [1, CHANNELS, segmentFrames]);
    this.#spectrumIn = session.getInput(1, [1, 2 * CHANNELS, BIN_COUNT, slots]);
    this.#spectrumOut = session.getOutput(0, [1, stems.length, 2 * CHANNELS, BIN_COUNT, slots]);
    this.#waveformOut = session.getOutput(1, [1, stems.length, CHANNELS, segmentFrames]);
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    segment.forEach((plane, channel) => {
      this.#waveformIn.data.set(plane, channel * this.segmentFrames);
      this.#spectrum.analyse(plane, this.#spectrumPlanes(this.#spectrumIn, channel));
    });
    await this.#session.run();
    return new Map(stems.map((stem) => [stem, this.#collect(stem)]));
  }

  #collect(stem: string): Float32Array[] {
    const stemIndex = this.#stems.indexOf(stem);
    if (stemIndex < 0) throw new RangeError(`the network has no stem ${stem}`);
    return [0, 1].map((channel) => {
      const row = stemIndex * CHANNELS + channel;
      const plane = this.#spectrum.synthesise(this.#spectrumPlanes(this.#spectrumOut, row));
      const waveform = this.#waveformOut.data;
      const start = row * this.segmentFrames;
      for (let n = 0; n < plane.length; n++) plane[n]! += waveform[start + n]!;
      return plane;
    });
  }

  #spectrumPlanes(port: TensorPort, row: number): { re: Float32Array; im: Float32Array } {
    const size = BIN_COUNT * this.#spectrum.slotCount;
    const start = 2 * row * size;
    return {
      re: port.data.subarray(start, start + size),
      im: port.data.subarray(start + size, start + 2 * size),
    };
  }
}
