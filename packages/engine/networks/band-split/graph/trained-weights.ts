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
  /** FFT size; not stored for the first stereo networks. */
  window: z.int().default(2048),
});

export type BandSplitConfig = {
  /** `voice-split` networks take mono and have taps before each layer. */
  kind: "band-split" | "voice-split";
  stems: number;
  width: number;
  depth: number;
  heads: number;
  maskHidden: number;
  /** Number of bands and bins per band, from the lowest frequency up. */
  bands: [number, number][];
  /** FFT size in frames. */
  window: number;
};

/** Values per bin: real and imaginary part of one channel or of two. */
export type PlaneCount = 2 | 4;

export function countPlanes({ kind }: BandSplitConfig): PlaneCount {
  return kind === "voice-split" ? 2 : 4;
}

export function countBins({ window }: BandSplitConfig): number {
  return window / 2 + 1;
}

/** The parameters of a network trained here, under their names in training, as stored by training/export.py. */
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

/** int8 weights have a scale per row, or per column of each matrix: one axis of `scale` has length 1. */
function multiply({ dims, data }: Weight, scale: Weight): Weight {
  const inner = dims.slice(scale.dims.indexOf(1) + 1).reduce((product, size) => product * size, 1);
  const shared = dims[scale.dims.indexOf(1)]! * inner;
  const scaled = data.map((value, at) => value * scale.data[Math.floor(at / shared) * inner + (at % inner)]!);
  return { dims, data: scaled };
}
