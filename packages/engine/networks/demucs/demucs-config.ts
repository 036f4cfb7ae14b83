import { z } from "zod";
import type { StemManifest } from "../../manifests/manifest.ts";

/** The default of `emb_scale`: what the saved frequency embedding is multiplied by. */
export const EMBEDDING_SCALE = 10;

const transformerSchema = z.strictObject({
  /** `t_heads` */
  heads: z.int().positive().default(8),
  activation: z.enum(["gelu", "relu"]).default("gelu"),
  /** `t_weight_pos_embed` and `t_max_period` */
  positionGain: z.number().default(1),
  longestPeriod: z.number().positive().default(10_000),
});

/** What the weights of a Demucs v3 or v4 don't tell by themselves; the defaults are those of htdemucs as released. Names in quotes are Demucs' own. */
const demucsSchema = z.strictObject({
  /** `nfft`; the hop is a quarter of it. */
  fftSize: z.int().positive().default(4096),
  audioChannels: z.int().positive().default(2),
  stemCount: z.int().positive().default(4),
  /** `kernel_size` is twice the stride. */
  stride: z.int().positive().default(4),
  /** `time_stride`: of the layers behind the merge of both branches. */
  timeStride: z.int().positive().default(2),
  /** `norm_groups`, of the layers that have norms. */
  normGroups: z.int().positive().default(4),
  /** `freq_emb` and `emb_scale` */
  embeddingGain: z.number().default(0.2),
  embeddingScale: z.number().default(EMBEDDING_SCALE),
  /** `hybrid_old`: segments are padded with silence, and what the spectrum gives is shifted by the padding. */
  isShifted: z.boolean().default(false),
  /** False for a negative `dconv_depth`. */
  dilates: z.boolean().default(true),
  transformer: transformerSchema.prefault({}),
});

const bagSchema = z.strictObject({
  members: z.array(demucsSchema).min(1).prefault([{}]),
  /** The weight of each stem of each member; all are equal without. */
  weights: z.array(z.array(z.number().nonnegative())).optional(),
});

export type DemucsConfig = z.infer<typeof demucsSchema>;
/** Networks of the same stems and segments, averaged. */
export type BagConfig = z.infer<typeof bagSchema>;

export function parseBag({ configuration }: Pick<StemManifest, "configuration">): BagConfig {
  return bagSchema.parse(configuration);
}

/** How a layer of a branch convolves. */
export type LayerPlan = {
  kernel: number;
  stride: number;
  /** Cut from both ends of the output. */
  pad: number;
  /** Along the bins of a spectrum; otherwise along time. */
  isSpectrum: boolean;
  /** Has a convolution and nothing else: the waveform's last layer, whose output joins the spectrum's. */
  isEmpty: boolean;
};

/** The layers of both branches from the outermost inwards. The waveform's branch has none behind the merge. */
export function planLayers(
  { fftSize, stride, timeStride }: DemucsConfig,
  depth: number,
): { spectrum: LayerPlan[]; waveform: LayerPlan[] } {
  const spectrum: LayerPlan[] = [];
  const waveform: LayerPlan[] = [];
  const kernel = 2 * stride;
  let bins = fftSize / 2;
  for (let index = 0; index < depth; index++) {
    const isSpectrum = bins > 1;
    const isMerge = isSpectrum && bins <= kernel;
    if (isMerge) spectrum.push({ kernel: bins, stride, pad: 0, isSpectrum, isEmpty: false });
    else {
      const size = isSpectrum ? kernel : 2 * timeStride;
      const pad = Math.floor(size / 4);
      spectrum.push({
        kernel: size,
        stride: isSpectrum ? stride : timeStride,
        pad,
        isSpectrum,
        isEmpty: false,
      });
    }
    if (isSpectrum)
      waveform.push({ kernel, stride, pad: Math.floor(kernel / 4), isSpectrum: false, isEmpty: isMerge });
    bins = isMerge ? 1 : Math.floor(bins / stride);
  }
  return { spectrum, waveform };
}
