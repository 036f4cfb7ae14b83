import { z } from "zod";
import type { StemManifest } from "../../manifests/manifest.ts";

export const MDX_NET_HOP_FRAMES = 1024;

const configSchema = z.strictObject({
  fftSize: z.int().positive(),
  /** `dim_f` and `dim_t`: bins and slots that the graph takes. */
  binCount: z.int().positive(),
  slots: z.int().positive(),
  /** `compensate`: makes up for the level that the network loses. */
  gain: z.number().positive(),
});

export type MdxNetConfig = z.infer<typeof configSchema>;

export function parseMdxNetConfig({ configuration }: Pick<StemManifest, "configuration">): MdxNetConfig {
  return configSchema.parse(configuration);
}
