import { type Checkpoint, CheckpointRefused, type Recognised } from "../architecture.ts";
import { checkTransform, MsstSection } from "../msst-configuration.ts";
import { findKnownFile } from "./known-files.ts";
import { MDX_NET_HOP_FRAMES, type MdxNetConfig } from "./mdx-net-config.ts";

const PLANES = 4;
/** By the number of bins, where all published files agree. */
const USUAL_FFT_SIZES = new Map([[2560, 5120]]);

export function recogniseMdxNet(checkpoint: Checkpoint): Recognised | undefined {
  const { graph, fileName } = checkpoint;
  const [input, output] = [graph?.inputs[0], graph?.outputs[0]];
  if (
    !input ||
    !output ||
    graph?.inputs.length !== 1 ||
    input.shape.length !== 4 ||
    input.shape[1] !== PLANES
  )
    return undefined;
  const assumptions: string[] = [];
  const given = new MsstSection(checkpoint.msst);
  const known = findKnownFile(checkpoint.tailMd5);
  const binCount = input.shape[2] || given.count("mdx_dim_f_set") || known?.binCount;
  const slotsLog2 = given.count("mdx_dim_t_set") ?? known?.slotsLog2;
  const slots = input.shape[3] || (slotsLog2 === undefined ? undefined : 2 ** slotsLog2);
  if (!binCount || !slots)
    throw new CheckpointRefused(
      `${fileName} leaves its size open: give mdx_dim_f_set and mdx_dim_t_set in a configuration.`,
    );
  const fftSize = given.count("mdx_n_fft_scale_set") ?? known?.fftSize ?? USUAL_FFT_SIZES.get(binCount);
  if (fftSize === undefined)
    throw new CheckpointRefused(
      `${fileName} is not in Ultimate Vocal Remover's table, and its n_fft can't be read off: give mdx_n_fft_scale_set in a configuration (for ${binCount} bins usually ${2 * binCount} or 7680).`,
    );
  if (known === undefined && given.count("mdx_n_fft_scale_set") === undefined)
    assumptions.push(`n_fft: ${fftSize}`);
  const gain = given.number("compensate") ?? known?.gain ?? 1;
  if (known === undefined && given.number("compensate") === undefined) assumptions.push("compensate: 1");
  const stem = given.text("primary_stem")?.toLowerCase() ?? known?.stem;
  if (stem === undefined) assumptions.push("stem: stem_1");
  const segmentFrames = MDX_NET_HOP_FRAMES * (slots - 1);
  if (segmentFrames <= fftSize || binCount > fftSize / 2 + 1)
    throw new CheckpointRefused(`An n_fft of ${fftSize} does not fit ${binCount} bins and ${slots} slots.`);
  checkTransform({ fftSize, hopFrames: MDX_NET_HOP_FRAMES, segmentFrames });
  const configuration: MdxNetConfig = { fftSize, binCount, slots, gain };
  return {
    family: "mdx-net",
    title: "MDX-Net",
    stems: [stem ?? "stem_1"],
    sampleRateHz: 44_100,
    channels: 2,
    segmentFrames,
    chunking: { convention: "mdx-net", trimFrames: fftSize / 2 },
    configuration,
    assumptions,
    stored: [],
  };
}
