import { type Checkpoint, CheckpointRefused, type Recognised } from "../architecture.ts";
import { checkTransform, MsstSection, readMsst } from "../msst-configuration.ts";
import type { Mdx23cConfig } from "./mdx23c-config.ts";

const TITLE = "MDX23C (TFC-TDF v3)";
/** `dim_t` of the published networks. */
const USUAL_SLOTS = 256;
/** By the number of bins in a subband and what is usual: the two published transforms share 4096 or 1024 bins. */
const USUAL_FFT_SIZES = new Map([
  [4096, 8192],
  [1024, 2048],
]);

export function recogniseMdx23c(checkpoint: Checkpoint): Recognised | undefined {
  const shapes = new Map(checkpoint.tensors.map(({ name, shape }) => [name, shape]));
  const first = shapes.get("first_conv.weight");
  const last = shapes.get("final_conv.2.weight");
  const tdf = shapes.get("encoder_blocks.0.tfc_tdf.blocks.0.tdf.2.weight");
  if (!first || !last || !tdf) return undefined;
  const assumptions: string[] = [];
  const assume = (what: string, value: number | string) => {
    assumptions.push(`${what}: ${value}`);
    return value;
  };
  const root = new MsstSection(checkpoint.msst);
  const [audio, model] = [root.section("audio"), root.section("model")];
  const planes = first[1]!;
  const channels = audio.count("num_channels") ?? 2;
  if (channels !== 1 && channels !== 2)
    throw new CheckpointRefused(`The network takes ${channels} channels; networks of 1 or 2 can be run.`);
  const subbands = planes / (2 * channels);
  const stemCount = last[0]! / planes;
  const binCount = tdf[1]! * subbands;
  if (!Number.isInteger(subbands) || !Number.isInteger(stemCount))
    throw new CheckpointRefused(`Its first convolution reads ${planes} planes, which are no whole subbands.`);
  const fftSize =
    audio.count("n_fft") ?? Number(assume("n_fft", USUAL_FFT_SIZES.get(binCount) ?? 2 * binCount));
  const hopFrames =
    audio.count("hop_length") ?? Number(assume("hop_length", fftSize === 8192 ? 1024 : fftSize / 4));
  const segmentFrames = hopFrames * (USUAL_SLOTS - 1);
  const usual = { segmentFrames, stems: ["vocals", "other"] };
  const shared = readMsst(checkpoint, { stemCount, usual, assumptions });
  checkTransform({ fftSize, hopFrames, segmentFrames: shared.segmentFrames });
  const levels = [...shapes.keys()].filter((name) =>
    /^encoder_blocks\.\d+\.downscale\.conv\.2\.weight$/.test(name),
  );
  const shrink = levels.map((name) => shapes.get(name)!.slice(2));
  const slots = Math.floor(shared.segmentFrames / hopFrames) + 1;
  const divisor = shrink.reduce((product, [height = 1]) => product * height, 1);
  if (slots % divisor !== 0)
    throw new CheckpointRefused(
      `A chunk of ${shared.segmentFrames} frames has ${slots} slots; the network needs a multiple of ${divisor}.`,
    );
  if (binCount > fftSize / 2 + 1)
    throw new CheckpointRefused(`Its ${binCount} bins are more than an n_fft of ${fftSize} has.`);
  const configuration: Mdx23cConfig = {
    ...{ fftSize, hopFrames, binCount, subbands },
    activation: toActivation(model.text("act") ?? String(assume("act", "gelu"))),
    norm: toNorm(model.text("norm") ?? "InstanceNorm"),
  };
  return {
    ...shared,
    family: "mdx23c",
    title: TITLE,
    channels,
    configuration,
    assumptions,
    stored: checkpoint.tensors.map(({ name }) => ({ name, from: name })),
  };
}

function toActivation(name: string): Mdx23cConfig["activation"] {
  if (name === "gelu" || name === "relu") return { kind: name };
  const alpha = Number(name.replace("elu", ""));
  if (name.startsWith("elu") && Number.isFinite(alpha)) return { kind: "elu", alpha };
  throw new CheckpointRefused(`The activation ${name} is unknown; known are gelu, relu and elu.`);
}

function toNorm(name: string): Mdx23cConfig["norm"] {
  if (name === "InstanceNorm") return "instance";
  const groups = Number(name.replace("GroupNorm", ""));
  if (name.startsWith("GroupNorm") && Number.isInteger(groups) && groups > 0) return groups;
  throw new CheckpointRefused(`The norm ${name} can't be run; known are InstanceNorm and GroupNorm.`);
}
