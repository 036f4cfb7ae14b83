import { z } from "zod";
import type { StemManifest } from "../../manifests/manifest.ts";

/** Names in quotes are those of the original's YAML. */
const configSchema = z.strictObject({
  /** `n_fft` and `hop_length` */
  fftSize: z.int().positive(),
  hopFrames: z.int().positive(),
  /** `dim_f`: the bins that the network sees, and `num_subbands`, into which they are cut. */
  binCount: z.int().positive(),
  subbands: z.int().positive(),
  /** `act`; `alpha` is that of an ELU. */
  activation: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("gelu") }),
    z.strictObject({ kind: z.literal("relu") }),
    z.strictObject({ kind: z.literal("elu"), alpha: z.number() }),
  ]),
  /** `norm`: of each channel by itself, or of this many groups of channels. */
  norm: z.union([z.literal("instance"), z.int().positive()]),
});

export type Mdx23cConfig = z.infer<typeof configSchema>;

export function parseMdx23cConfig({ configuration }: Pick<StemManifest, "configuration">): Mdx23cConfig {
  return configSchema.parse(configuration);
}
