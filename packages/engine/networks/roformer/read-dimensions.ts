import type { TensorFacts } from "../../checkpoints/named-tensors.ts";
import { CheckpointRefused } from "../architecture.ts";

/** What the names and shapes of a RoFormer's tensors say. */
export type RoformerDimensions = {
  /** `bs` has one norm at the end, `mel` one after every transformer. */
  kind: "bs" | "mel";
  dim: number;
  heads: number;
  headSize: number;
  /** Values of each band in a slot: bins × channels × (real, imaginary). */
  bandSizes: number[];
  /** For each block, the layers of its transformers; the linear one is absent from most networks. */
  blocks: { linear: number; time: number; bands: number }[];
  stemCount: number;
  /** Indices of the linear layers of a mask head; tanh lies between them. */
  maskLayers: number[];
  hasValueResidual: boolean;
  /** Rotary tables instead of frequencies, and biases that all layers share: a conversion of a network that was a program. */
  hasSharedBias: boolean;
};

const FIRST_FEATURE = "band_split.to_features.0.1.weight";
/** The first projection of the first transformer, which is linear in some networks. */
const FIRST_PROJECTIONS = ["layers.0.0.layers.0.0.to_qkv.weight", "layers.0.0.layers.0.0.to_qkv.0.weight"];

const ATTENTION = [
  "norm.gamma",
  "to_qkv.weight",
  "to_qkv.bias",
  "to_gates.weight",
  "to_gates.bias",
  "to_out.0.weight",
  "to_out.0.bias",
  "rotary_embed.freqs",
  "to_value_residual_mix.weight",
  "to_value_residual_mix.bias",
  "norm.gamma",
  "to_qkv.0.weight",
  "temperature",
  "to_out.1.weight",
];
const FEED_FORWARD = ["net.0.gamma", "net.1.weight", "net.1.bias", "net.4.weight", "net.4.bias"];
/** Tables of the rotation that one conversion stores; they are computed here. */
const ROTATION_TABLES = ["cos_emb_time", "sin_emb_time", "cos_emb_freq", "sin_emb_freq"];
/** By what one conversion or the other calls the biases that all layers share. */
export const SHARED_QKV_BIASES = ["shared_qkv_bias", "linear_62_bias_0"];
export const SHARED_OUT_BIASES = ["shared_out_bias", "linear_64_bias_0"];

const KNOWN = [
  /^band_split\.to_features\.\d+\.(0\.gamma|1\.weight|1\.bias)$/,
  /^final_norm\.gamma$/,
  /^layers\.\d+\.\d+\.norm\.gamma$/,
  new RegExp(`^layers\\.\\d+\\.\\d+\\.layers\\.\\d+\\.0\\.(${ATTENTION.map(escapeDots).join("|")})$`),
  new RegExp(`^layers\\.\\d+\\.\\d+\\.layers\\.\\d+\\.1\\.(${FEED_FORWARD.map(escapeDots).join("|")})$`),
  /^mask_estimators\.\d+\.to_freqs\.\d+\.0\.\d+\.(weight|bias)$/,
  new RegExp(`^(${[...ROTATION_TABLES, ...SHARED_QKV_BIASES, ...SHARED_OUT_BIASES].join("|")})$`),
];

/** Variants that are no RoFormer as published in the originals, by a tensor that only they have. */
const REFUSED: readonly [RegExp, string][] = [
  [/\.segm\b/, "its mask heads are of the kind HyperACE"],
  [/^mask_estimators\.\d+\.layers\./, "its mask heads contain transformers (Large Inst v2)"],
  [/fno|spectral_conv|\.fourier/i, "its mask heads are Fourier neural operators (FNO)"],
  [/hyper_conn|static_alpha|dynamic_alpha|\.branch\./, "it has hyper-connections"],
  [/pope/i, "its positions are coded by PoPE"],
  // Its graph is here, but was never compared with the original.
  [/to_value_residual_mix/, "it has value residuals"],
  [/lora_[AB]/, "it holds low-rank changes (LoRA) to another checkpoint, without that"],
];

/** Undefined if these are not a RoFormer's tensors; throws `CheckpointRefused` for a variant that can't run. */
export function readDimensions(tensors: readonly TensorFacts[]): RoformerDimensions | undefined {
  const shapes = new Map(tensors.map(({ name, shape }) => [name, shape]));
  const projection = FIRST_PROJECTIONS.find((name) => shapes.has(name));
  const isRoformer =
    shapes.has(FIRST_FEATURE) && [...shapes.keys()].some((name) => name.startsWith("layers.0.0."));
  if (!isRoformer) return undefined;
  for (const [pattern, why] of REFUSED)
    if ([...shapes.keys()].some((name) => pattern.test(name))) refuse(why);
  const unknown = [...shapes.keys()].filter((name) => !KNOWN.some((pattern) => pattern.test(name)));
  if (unknown.length > 0) refuse(`it has tensors of no known variant: ${unknown.slice(0, 4).join(", ")}`);
  if (projection === undefined) refuse("its first layer has no attention");
  const has = (name: string) => shapes.has(name);
  const get = (name: string): readonly number[] => shapes.get(name) ?? refuse(`it lacks the tensor ${name}`);
  const count = (prefix: string) =>
    new Set(
      [...shapes.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length).split(".")[0]),
    ).size;

  const [dim = 0] = get(FIRST_FEATURE);
  const depth = count("layers.");
  const blocks = Array.from({ length: depth }, (_, block) => {
    const transformers = count(`layers.${block}.`);
    if (transformers !== 2 && transformers !== 3) refuse(`block ${block} has ${transformers} transformers`);
    const at = (index: number) => count(`layers.${block}.${index}.layers.`);
    return transformers === 3
      ? { linear: at(0), time: at(1), bands: at(2) }
      : { linear: 0, time: at(0), bands: at(1) };
  });
  const axial = `layers.0.${blocks[0]?.linear ? 1 : 0}.layers.0.0`;
  const [heads = 0] = get(`${axial}.to_gates.weight`);
  const [wide = 0] = get(`${axial}.to_qkv.weight`);
  const bandCount = count("band_split.to_features.");
  const bandSizes = Array.from(
    { length: bandCount },
    (_, band) => get(`band_split.to_features.${band}.1.weight`)[1] ?? 0,
  );
  const maskLayers = [...shapes.keys()]
    .flatMap((name) => /^mask_estimators\.0\.to_freqs\.0\.0\.(\d+)\.weight$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const hasRotation = has(`${axial}.rotary_embed.freqs`) || has("cos_emb_time");
  const hasSharedBias = [...SHARED_QKV_BIASES, ...SHARED_OUT_BIASES].some(has) || has(`${axial}.to_qkv.bias`);
  if (!hasRotation && !hasSharedBias) refuse("it has no rotary positions, so it may be coded by PoPE");
  const isMel = has("layers.0.0.norm.gamma");
  if (isMel === has("final_norm.gamma")) refuse("it has norms of both kinds of RoFormer, or of none");
  return {
    kind: isMel ? "mel" : "bs",
    ...{ dim, heads, headSize: wide / 3 / heads, bandSizes, blocks },
    stemCount: count("mask_estimators."),
    maskLayers,
    hasValueResidual: [...shapes.keys()].some((name) => name.includes("to_value_residual_mix")),
    hasSharedBias,
  };
}

/** Whether a tensor is needed to run the network: tables are computed, and all layers rotate by the first one's frequencies. */
export function isStored(name: string): boolean {
  if (ROTATION_TABLES.includes(name)) return false;
  return !name.endsWith("rotary_embed.freqs") || /^layers\.0\.\d+\.layers\.0\.0\./.test(name);
}

/** The first tensor that is missing or has the wrong shape, as a phrase; undefined if all are there. */
export function listMissing(
  dimensions: RoformerDimensions,
  tensors: readonly TensorFacts[],
): string | undefined {
  const shapes = new Map(tensors.map(({ name, shape }) => [name, shape]));
  for (const [name, shape] of listTensors(dimensions, shapes)) {
    const found = shapes.get(name);
    if (found === undefined) return `it lacks the tensor ${name}`;
    if (found.join() !== shape.join())
      return `${name} has the shape ${found.join("×")}, not ${shape.join("×")}`;
  }
  return undefined;
}

type Shapes = ReadonlyMap<string, readonly number[]>;

function* listTensors(dimensions: RoformerDimensions, shapes: Shapes): Generator<[string, number[]]> {
  const { kind, dim, bandSizes, blocks, stemCount, maskLayers } = dimensions;
  for (const [band, size] of bandSizes.entries()) {
    const name = `band_split.to_features.${band}`;
    yield [`${name}.0.gamma`, [size]];
    yield [`${name}.1.weight`, [dim, size]];
    yield [`${name}.1.bias`, [dim]];
  }
  for (const [block, layers] of blocks.entries()) {
    const counts =
      layers.linear > 0 ? [layers.linear, layers.time, layers.bands] : [layers.time, layers.bands];
    for (const [index, count] of counts.entries()) {
      const isLinear = layers.linear > 0 && index === 0;
      for (let layer = 0; layer < count; layer++)
        yield* listLayer(`layers.${block}.${index}.layers.${layer}`, dimensions, { isLinear, block, shapes });
      if (kind === "mel") yield [`layers.${block}.${index}.norm.gamma`, [dim]];
    }
  }
  if (kind === "bs") yield ["final_norm.gamma", [dim]];
  const hiddenSize =
    maskLayers.length > 1 ? (shapes.get("mask_estimators.0.to_freqs.0.0.0.weight")?.[0] ?? 0) : dim;
  for (let stem = 0; stem < stemCount; stem++)
    for (const [band, size] of bandSizes.entries())
      for (const [index, layer] of maskLayers.entries()) {
        const outputs = index === maskLayers.length - 1 ? 2 * size : hiddenSize;
        const name = `mask_estimators.${stem}.to_freqs.${band}.0.${layer}`;
        yield [`${name}.weight`, [outputs, index === 0 ? dim : hiddenSize]];
        yield [`${name}.bias`, [outputs]];
      }
}

function* listLayer(
  name: string,
  { dim, heads, headSize, hasValueResidual }: RoformerDimensions,
  { isLinear, block, shapes }: { isLinear: boolean; block: number; shapes: Shapes },
): Generator<[string, number[]]> {
  const inner = heads * headSize;
  yield [`${name}.0.norm.gamma`, [dim]];
  if (isLinear) {
    yield [`${name}.0.to_qkv.0.weight`, [3 * inner, dim]];
    yield [`${name}.0.temperature`, [heads, 1, 1]];
    yield [`${name}.0.to_out.1.weight`, [dim, inner]];
  } else {
    yield [`${name}.0.to_qkv.weight`, [3 * inner, dim]];
    yield [`${name}.0.to_gates.weight`, [heads, dim]];
    yield [`${name}.0.to_gates.bias`, [heads]];
    yield [`${name}.0.to_out.0.weight`, [dim, inner]];
    if (hasValueResidual && block > 0) yield [`${name}.0.to_value_residual_mix.weight`, [heads, dim]];
  }
  const [feedSize = 0] = shapes.get(`${name}.1.net.1.weight`) ?? [];
  yield [`${name}.1.net.0.gamma`, [dim]];
  yield [`${name}.1.net.1.weight`, [feedSize, dim]];
  yield [`${name}.1.net.1.bias`, [feedSize]];
  yield [`${name}.1.net.4.weight`, [dim, feedSize]];
  yield [`${name}.1.net.4.bias`, [dim]];
}

function refuse(why: string): never {
  throw new CheckpointRefused(`This RoFormer can't run here: ${why}.`);
}

function escapeDots(text: string): string {
  return text.replaceAll(".", "\\.");
}
