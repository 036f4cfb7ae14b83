import { z } from "zod";
import type { StemManifest } from "../../manifests/manifest.ts";

/** Names in quotes are those of the original's YAML. */
const configSchema = z.strictObject({
  /** `nfft` and `hop_size` */
  fftSize: z.int().positive(),
  hopFrames: z.int().positive(),
  isNormalized: z.boolean(),
  window: z.enum(["hann", "rectangular"]),
  /** `band_SR`: the shares of the low and the middle band. */
  bandShares: z.tuple([z.number().positive(), z.number().positive()]),
  /** `band_stride` */
  bandStrides: z.array(z.int().positive()).length(3),
});

export type ScnetConfig = z.infer<typeof configSchema>;

export function parseScnetConfig({ configuration }: Pick<StemManifest, "configuration">): ScnetConfig {
  return configSchema.parse(configuration);
}

/** The length to which a segment is extended: whole hops, and an even number of slots. */
export function toEvenFrames({ hopFrames }: ScnetConfig, segmentFrames: number): number {
  const hops = Math.floor(segmentFrames / hopFrames) + 1;
  return hopFrames * (hops % 2 === 0 ? hops + 1 : hops);
}
