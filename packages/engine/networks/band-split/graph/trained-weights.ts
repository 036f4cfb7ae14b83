import { z } from "zod";
import type { OnnxWeights, Weight } from "../../../runtime/onnx/onnx-weights.ts";

const configSchema = z.object({
  kind: z.enum(["band-split", "voice-split"]),
  stems: z.int(),
  width: z.int(),
  depth: z.int(),
  heads: z.int(),
  mask_hidden: z.int(),
  bands: z.array(z.tuple([z.int(), z.int()])),
  /** The transform, where it is not that of networks for stereo. */
  window: z.int().default(2048),
});

export type BandSplitConfig = {
  /** Networks for voices hear mono, and have taps before each layer. */
  kind: "band-split" | "voice-split";
  stems: number;
  width: number;
  depth: number;
  heads: number;
  maskHidden: number;
  /** How many bands, and how many bins each of them has, from the lowest up. */
  bands: [number, number][];
  /** Frames of a slot of the spectrum. */
  window: number;
};

/** Numbers of a bin: real and imaginary part of the only channel, or of each of two. */
export type PlaneCount = 2 | 4;

export function countPlanes({ kind }: BandSplitConfig): PlaneCount {
  return kind === "voice-split" ? 2 : 4;
}

export function countBins({ window }: BandSplitConfig): number {
  return window / 2 + 1;
}

/** The parameters of a network trained here under the names they have there, as training/export.py stores them. */
export class TrainedWeights {
  readonly config: BandSplitConfig;
  readonly #file: OnnxWeights;

  constructor(file: OnnxWeights) {
    const { mask_hidden, ...config } = configSchema.parse(JSON.parse(file.getMetadata("config")));
    this.config = { ...config, maskHidden: mask_hidden };
    this.#file = file;
  }

  get(name: string): Weight {
    const path = `parameter.${name}`;
    const weight = this.#file.get(path);
    return this.#file.has(`${path}.scale`) ? multiply(weight, this.#file.get(`${path}.scale`)) : weight;
  }
}

/** Weights stored in bytes have a scale for each row, or for each column of each matrix: one axis of `scale` has the length 1. */
function multiply({ dims, data }: Weight, scale: Weight): Weight {
  const inner = dims.slice(scale.dims.indexOf(1) + 1).reduce((product, size) => product * size, 1);
  const shared = dims[scale.dims.indexOf(1)]! * inner;
  const scaled = data.map((value, at) => value * scale.data[Math.floor(at / shared) * inner + (at % inner)]!);
  return { dims, data: scaled };
}
