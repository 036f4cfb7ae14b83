import type { NamedTensors } from "../../checkpoints/named-tensors.ts";
import type { ChainLink, NamedShape } from "../../runtime/graph-chain.ts";
import type { ThreadChain } from "../../runtime/graph-thread.ts";
import type { Band } from "./bands.ts";
import { type AxialShape, buildAxialGraph, type WeightedFile } from "./graph/axial-graph.ts";
import { buildBandSplit, buildCopy, buildMaskHead, buildSum, buildTurn } from "./graph/end-graphs.ts";
import { buildLinearGraph } from "./graph/linear-graph.ts";
import { LayerWeights } from "./layer-weights.ts";
import type { RoformerDimensions } from "./read-dimensions.ts";

/** Tokens that run at once: few enough for their values to stay in the cache, enough for the cores. */
const TOKENS_AT_ONCE = 4096;
const BASE = 10_000;

type ChainShape = {
  bands: readonly Band[];
  slotCount: number;
  spectrumSize: number;
  /** Whether every block reads the sum of the blocks before it, too. */
  hasSkips: boolean;
  inBytes: boolean;
};

export const maskName = (stem: number): string => `masks${stem}`;

/**
 * Adds the network to a chain, as few graphs with many weights: band split, then for each block a transformer over time and one over bands, before each of
 * which the tokens are turned, and a mask head for each stem. Only heads of requested stems run. Returns the number of links.
 */
export async function addRoformer(
  chain: ThreadChain,
  tensors: NamedTensors,
  { dimensions, shape }: { dimensions: RoformerDimensions; shape: ChainShape },
): Promise<number> {
  const builder = new ChainBuilder(chain, tensors, { dimensions, shape });
  await builder.addBandSplit();
  for (const block of dimensions.blocks.keys()) await builder.addBlock(block);
  await builder.addMaskHeads();
  return builder.linkCount;
}

/** Two buffers hold the tokens in turn, as `[slots, bands, dim]` or `[bands, slots, dim]`. */
type Place = "here" | "there";

class ChainBuilder {
  linkCount = 0;
  readonly #chain: ThreadChain;
  readonly #tensors: NamedTensors;
  readonly #weights: LayerWeights;
  readonly #shapes: ReadonlyMap<string, readonly number[]>;
  readonly #dimensions: RoformerDimensions;
  readonly #shape: ChainShape;
  /** Graphs by what they do, and the first link that runs each. */
  readonly #graphs = new Map<string, WeightedFile & { link: number }>();
  #place: Place = "here";
  #skips = 0;

  constructor(
    chain: ThreadChain,
    tensors: NamedTensors,
    { dimensions, shape }: { dimensions: RoformerDimensions; shape: ChainShape },
  ) {
    this.#chain = chain;
    this.#tensors = tensors;
    this.#weights = new LayerWeights(tensors);
    this.#shapes = new Map(tensors.list().map((tensor) => [tensor.name, tensor.shape]));
    this.#dimensions = dimensions;
    this.#shape = shape;
  }

  async addBandSplit(): Promise<void> {
    const { slotCount, spectrumSize, bands } = this.#shape;
    const build = () => buildBandSplit(this.#dimensions, { bands, spectrumSize });
    await this.#add("band split", build, {
      inputs: [{ name: "spectrum", shape: [slotCount, spectrumSize] }],
      outputs: [this.#bySlot(this.#place)],
      prefix: "",
      rowsAtOnce: this.#slotsAtOnce,
    });
  }

  async addBlock(block: number): Promise<void> {
    const layers = this.#dimensions.blocks[block]!;
    const { hasSkips } = this.#shape;
    if (hasSkips && block > 0) await this.#collectSkip(block);
    if (layers.linear > 0) await this.#addLinear(block, layers.linear);
    if (hasSkips && block > 0) await this.#addSkips();
    const first = layers.linear > 0 ? 1 : 0;
    await this.#turn((name) => [this.#bySlot(name), this.#byBand(name)]);
    await this.#addAxial("time", block, { index: first, layers: layers.time });
    await this.#turn((name) => [this.#byBand(name), this.#bySlot(name)]);
    await this.#addAxial("bands", block, { index: first + 1, layers: layers.bands });
  }

  async addMaskHeads(): Promise<void> {
    const { slotCount } = this.#shape;
    const { stemCount, bandSizes } = this.#dimensions;
    const hiddenSize = this.#size("mask_estimators.0.to_freqs.0.0.0.weight", 0);
    const maskSize = bandSizes.reduce((sum, size) => sum + size, 0);
    for (let stem = 0; stem < stemCount; stem++) {
      await this.#add("mask head", () => buildMaskHead(this.#dimensions, { hiddenSize, inBytes: false }), {
        inputs: [this.#bySlot(this.#place)],
        outputs: [{ name: maskName(stem), shape: [slotCount, maskSize] }],
        prefix: `mask_estimators.${stem}.`,
        rowsAtOnce: this.#slotsAtOnce,
        isOptional: true,
      });
    }
  }

  /** The sum of the outputs of all blocks before this one; the last of them is where the tokens are. */
  async #collectSkip(block: number): Promise<void> {
    const output = this.#flat(this.#place);
    const size = output.shape[0]!;
    const [before, after] = [this.#flat(`skips${this.#skips}`), this.#flat(`skips${1 - this.#skips}`)];
    if (block === 1) await this.#add("copy", () => buildCopy(size), { inputs: [output], outputs: [after] });
    else await this.#add("sum", () => buildSum(size), { inputs: [before, output], outputs: [after] });
    this.#skips = 1 - this.#skips;
  }

  async #addSkips(): Promise<void> {
    const inputs = [this.#flat(this.#place), this.#flat(`skips${this.#skips}`)];
    const outputs = [this.#flat(this.#swap())];
    await this.#add("sum", () => buildSum(inputs[0]!.shape[0]!), { inputs, outputs });
  }

  async #addLinear(block: number, layers: number): Promise<void> {
    const { dim } = this.#dimensions;
    const { bands, slotCount } = this.#shape;
    const count = slotCount * bands.length;
    const prefix = `layers.${block}.0.`;
    const feedSize = this.#size(`${prefix}layers.0.1.net.1.weight`, 0);
    const inputs = [{ name: this.#place, shape: [count, dim] }];
    const outputs = [{ name: this.#swap(), shape: [count, dim] }];
    const build = () => buildLinearGraph({ ...this.#dimensions, layers, feedSize, count });
    await this.#add("linear", build, { inputs, outputs, prefix });
  }

  async #addAxial(
    axis: "time" | "bands",
    block: number,
    { index, layers }: { index: number; layers: number },
  ): Promise<void> {
    const { slotCount, bands, inBytes } = this.#shape;
    const { hasValueResidual, heads, headSize } = this.#dimensions;
    const prefix = `layers.${block}.${index}.`;
    const isTime = axis === "time";
    const length = isTime ? slotCount : bands.length;
    const values = hasValueResidual ? (block === 0 ? "makes" : "takes") : "none";
    const by = (name: string, size?: number) =>
      isTime ? this.#byBand(name, size) : this.#bySlot(name, size);
    const firstValues = by(`${axis} values`, heads * headSize);
    const build = () =>
      buildAxialGraph({
        ...this.#dimensions,
        ...{ layers, length, values, inBytes, biases: this.#findBiases() },
        feedSize: this.#size(`${prefix}layers.0.1.net.1.weight`, 0),
        rotation: this.#makeRotation(prefix, length),
      });
    const from = by(this.#place);
    await this.#add(`${axis} ${values}`, build, {
      inputs: [from, ...(values === "takes" ? [firstValues] : [])],
      outputs: [by(this.#swap()), ...(values === "makes" ? [firstValues] : [])],
      prefix,
      rowsAtOnce: isTime ? Math.max(1, Math.round(TOKENS_AT_ONCE / slotCount)) : this.#slotsAtOnce,
    });
  }

  async #turn(sides: (name: string) => [NamedShape, NamedShape]): Promise<void> {
    const [from] = sides(this.#place);
    const [, to] = sides(this.#swap());
    const dims = from.shape as [number, number, number];
    await this.#add(`turn ${dims.join()}`, () => buildTurn(dims), { inputs: [from], outputs: [to] });
  }

  async #add(
    graphName: string,
    build: () => WeightedFile,
    { prefix, ...link }: Omit<ChainLink, "file" | "weights"> & { prefix?: string },
  ): Promise<void> {
    const known = this.#graphs.get(graphName);
    const graph = known ?? { ...build(), link: this.linkCount };
    this.#graphs.set(graphName, graph);
    const weights = prefix === undefined ? [] : this.#weights.take(prefix, graph.ports);
    await this.#chain.add({ ...link, file: known ? graph.link : graph.file, weights });
    this.linkCount += 1;
  }

  /** By the frequencies that were stored with the layers; conversions of the network as a program have none. */
  #makeRotation(prefix: string, length: number): AxialShape["rotation"] {
    const name = `${prefix}layers.0.0.rotary_embed.freqs`;
    const pairs = this.#dimensions.headSize / 2;
    const stored = this.#shapes.has(name) ? this.#tensors.read(name) : undefined;
    const speeds = Array.from({ length: pairs }, (_, pair) => stored?.[pair] ?? BASE ** (-pair / pairs));
    const table = (wave: (angle: number) => number) =>
      Float32Array.from({ length: length * pairs }, (_, at) =>
        wave(Math.floor(at / pairs) * speeds[at % pairs]!),
      );
    return { cosine: table(Math.cos), sine: table(Math.sin) };
  }

  #findBiases(): AxialShape["biases"] {
    const has = (layer: string, shared: string) =>
      [...this.#shapes.keys()].some((name) => name.endsWith(layer) || name === shared);
    return {
      qkv: has(".to_qkv.bias", "shared_qkv_bias"),
      out: has(".to_out.0.bias", "shared_out_bias"),
    };
  }

  #swap(): Place {
    this.#place = this.#place === "here" ? "there" : "here";
    return this.#place;
  }

  get #slotsAtOnce(): number {
    return Math.max(1, Math.round(TOKENS_AT_ONCE / this.#shape.bands.length));
  }

  #bySlot(name: string, size: number = this.#dimensions.dim): NamedShape {
    return { name, shape: [this.#shape.slotCount, this.#shape.bands.length, size] };
  }

  #byBand(name: string, size: number = this.#dimensions.dim): NamedShape {
    return { name, shape: [this.#shape.bands.length, this.#shape.slotCount, size] };
  }

  #flat(name: string): NamedShape {
    return { name, shape: [this.#shape.slotCount * this.#shape.bands.length * this.#dimensions.dim] };
  }

  #size(tensor: string, axis: number): number {
    return this.#shapes.get(tensor)?.[axis] ?? 0;
  }
}
