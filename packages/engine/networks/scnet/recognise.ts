import { type Checkpoint, CheckpointRefused, type Recognised } from "../architecture.ts";
import { checkTransform, MsstSection, readMsst } from "../msst-configuration.ts";
import type { ScnetConfig } from "./scnet-config.ts";

const CHANNELS = 2;
const USUAL_STEMS = ["drums", "bass", "other", "vocals"];
const USUAL_CHUNK_FRAMES = 485_100;
/** Strides of the published kernels 3, 4, 16. */
const toUsualStride = (kernel: number) => (kernel === 3 ? 1 : kernel);

/** `band_SR` of the published sizes, by the widest encoder layer and the number of dual-path layers. */
const USUAL_SHARES: Record<string, [number, number]> = {
  "128/6": [0.175, 0.392],
  "256/6": [0.225, 0.372],
  "256/8": [0.23, 0.37],
};

export function recogniseScnet(checkpoint: Checkpoint): Recognised | undefined {
  const shapes = new Map(checkpoint.tensors.map(({ name, shape }) => [name, shape]));
  const first = shapes.get("encoder.0.SDlayer.convs.0.weight");
  const last = shapes.get(`decoder.${countLevels(shapes) - 1}.1.convtrs.0.weight`);
  if (!first || !last || !shapes.has("separation_net.dp_modules.0.lstm_layers.0.weight_ih_l0"))
    return undefined;
  const isMasked = shapes.has("mask_layer.0.weight");
  const assumptions: string[] = [];
  const assume = <Value>(what: string, value: Value): Value => {
    assumptions.push(`${what}: ${String(value)}`);
    return value;
  };
  const root = new MsstSection(checkpoint.msst);
  const model = root.section("model");
  const planes = first[1]!;
  if (planes !== 2 * CHANNELS || (model.count("audio_channels") ?? CHANNELS) !== CHANNELS)
    throw new CheckpointRefused(`The network reads ${planes} planes; an SCNet of two channels reads four.`);
  const positions = shapes.get("pos_embed_f")?.[2];
  const fftSize = model.count("nfft") ?? (positions ? 2 * (positions - 1) : assume("nfft", 4096));
  const hopFrames = model.count("hop_size") ?? assume("hop_size", 1024);
  if ((model.count("win_size") ?? fftSize) !== fftSize)
    throw new CheckpointRefused(`A win_size other than nfft, ${fftSize}, can't be run.`);
  const layers = [...shapes.keys()].filter((name) =>
    /^separation_net\.dp_modules\.\d+\.norm_layers\.0\.weight$/.test(name),
  );
  if (layers.length % 2 !== 0)
    throw new CheckpointRefused(`It has ${layers.length} dual-path layers; their number must be even.`);
  const width = shapes.get(`encoder.${countLevels(shapes) - 1}.globalconv.weight`)![0]!;
  const usualShares = USUAL_SHARES[`${width}/${layers.length}`] ?? USUAL_SHARES["256/6"]!;
  const [low, middle] =
    model.numbers("band_SR") ??
    assume("band_SR (a guess by the size: another gives other stems)", usualShares);
  if (low === undefined || middle === undefined || low <= 0 || middle <= 0 || low + middle >= 1)
    throw new CheckpointRefused("The configuration's model.band_SR are no shares of a spectrum.");
  const kernels = [0, 1, 2].map((band) => shapes.get(`encoder.0.SDlayer.convs.${band}.weight`)?.[2] ?? 0);
  const bandStrides = model.numbers("band_stride") ?? assume("band_stride", kernels.map(toUsualStride));
  if (bandStrides.length !== 3 || bandStrides.some((stride) => !Number.isSafeInteger(stride) || stride < 1))
    throw new CheckpointRefused("The configuration's model.band_stride names no three bands.");
  const configuration: ScnetConfig = {
    ...{ fftSize, hopFrames, bandStrides },
    isNormalized: model.flag("normalized") ?? true,
    window: isMasked ? "hann" : "rectangular",
    bandShares: [low, middle],
  };
  const stemCount = last[1]! / planes;
  const usual = { segmentFrames: USUAL_CHUNK_FRAMES, stems: USUAL_STEMS };
  const shared = readMsst(checkpoint, { stemCount, usual, assumptions });
  checkTransform({ fftSize, hopFrames, segmentFrames: shared.segmentFrames });
  return {
    ...shared,
    family: "scnet",
    title: isMasked ? "SCNet (masked)" : "SCNet",
    channels: CHANNELS,
    configuration,
    assumptions,
    stored: checkpoint.tensors.map(({ name }) => ({ name, from: name })),
  };
}

function countLevels(shapes: ReadonlyMap<string, unknown>): number {
  let levels = 0;
  while (shapes.has(`encoder.${levels}.globalconv.weight`)) levels += 1;
  return levels;
}
