import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { NamedShape } from "../../runtime/graph-chain.ts";
import { GraphThread, type ThreadChain } from "../../runtime/graph-thread.ts";
import type { WeightsByName } from "../weights-by-name.ts";
import type { DemucsConfig } from "./demucs-config.ts";
import { planBranches } from "./graph/branches.ts";
import { buildDecoder, buildEncoder, buildTransformer, type GraphPart } from "./graph/build-parts.ts";
import { hasTransformer } from "./graph/transformer.ts";

type Shape = readonly number[];
type Network = { weights: WeightsByName; config: DemucsConfig };

/** Progress within a segment after each graph, by its share of the time. */
const DONE_AFTER = [0, 0.08, 0.24, 0.65, 0.9, 1];

/** Measured on arm64 alone. On x64 convolutions run in a blocked layout, from which tiles would have to be copied. */
const SPARES_PRODUCTS = process.arch === "arm64";

/** Inputs and outputs; a run takes ownership of the memory and hands it back. */
export type HybridBuffers = Record<"waveform" | "spectrum" | "waveformOut" | "spectrumOut", Float32Array>;

/**
 * The network's graphs, connected: two encoders, the transformer if there is one, two decoders. Rebuilt from the weights instead of running the exported
 * graph, in half the time and memory (decision 21).
 */
export class HybridNetwork {
  readonly runsOn: string;
  readonly #chain: ThreadChain;
  readonly #sizes: Record<keyof HybridBuffers, number>;

  private constructor(chain: ThreadChain, runsOn: string, sizes: Record<keyof HybridBuffers, number>) {
    this.#chain = chain;
    this.runsOn = runsOn;
    this.#sizes = sizes;
  }

  /** Creates each graph's session while the next graph is being built. */
  static async load(
    network: Network,
    options: SessionOptions,
    shapes: { waveform: Shape; spectrum: Shape },
  ): Promise<HybridNetwork> {
    const { waveform, spectrum } = shapes;
    const chain = await GraphThread.startChain(options);
    const adding: Promise<string>[] = [];
    const add = ({ file, inputs, outputs }: GraphPart, names: { inputs: string[]; outputs: string[] }) => {
      const added = chain.add({
        file,
        inputs: nameAll(inputs, names.inputs),
        outputs: nameAll(outputs, names.outputs),
      });
      // All are awaited below, which reports the first failure.
      added.catch(() => {});
      adding.push(added);
    };

    const plans = planBranches(network);
    const downT = buildEncoder(network, "waveform", { input: waveform });
    const levelsT = nameLayers("downT", downT.outputs.length);
    add(downT, { inputs: ["waveform"], outputs: levelsT });
    const isMerged = plans.waveform.at(-1)?.isEmpty ?? false;
    const joins = isMerged ? downT.outputs.at(-1) : undefined;
    const down = buildEncoder(network, "spectrum", { input: spectrum, joins });
    const levels = nameLayers("down", down.outputs.length);
    add(down, { inputs: ["spectrum", ...(joins ? [levelsT.at(-1)!] : [])], outputs: levels });

    const usesBytes = hasTransformer(network.weights);
    const inBytes = usesBytes && (options.inBytes ?? (await hasExactByteProducts()));
    const bottoms = { spectrum: down.outputs.at(-1)!, waveform: downT.outputs.at(-1)! };
    if (usesBytes) {
      const middle = buildTransformer(network, { ...bottoms, inBytes });
      add(middle, { inputs: [levels.at(-1)!, levelsT.at(-1)!], outputs: ["middle", "middleT"] });
    }
    const decoding = { ...network, sparesProducts: SPARES_PRODUCTS };
    const up = buildDecoder(decoding, "spectrum", {
      input: spectrum,
      middle: usesBytes ? bottoms.spectrum : undefined,
      encoded: down.outputs,
    });
    add(up, {
      inputs: [...(usesBytes ? ["middle"] : []), ...levels.toReversed()],
      outputs: ["spectrumOut", ...(isMerged ? ["parting"] : [])],
    });
    const encodedT = isMerged ? downT.outputs.slice(0, -1) : downT.outputs;
    const upT = buildDecoder(decoding, "waveform", {
      input: waveform,
      middle: isMerged ? up.outputs[1]! : usesBytes ? bottoms.waveform : undefined,
      encoded: encodedT,
    });
    const first = isMerged ? ["parting"] : usesBytes ? ["middleT"] : [];
    add(upT, {
      inputs: [...first, ...levelsT.slice(0, encodedT.length).toReversed()],
      outputs: ["waveformOut"],
    });
    await Promise.all(adding);
    return new HybridNetwork(chain, inBytes ? "cpu in bytes" : "cpu", {
      waveform: sizeOf(waveform),
      spectrum: sizeOf(spectrum),
      waveformOut: sizeOf(upT.outputs[0]!),
      spectrumOut: sizeOf(up.outputs[0]!),
    });
  }

  makeBuffers(): HybridBuffers {
    const { waveform, spectrum, waveformOut, spectrumOut } = this.#sizes;
    return {
      waveform: new Float32Array(waveform),
      spectrum: new Float32Array(spectrum),
      waveformOut: new Float32Array(waveformOut),
      spectrumOut: new Float32Array(spectrumOut),
    };
  }

  /** Runs all graphs. The buffers passed in are detached meanwhile; those returned are the same memory. */
  run(buffers: HybridBuffers, onProgress?: (fraction: number) => void): Promise<HybridBuffers> {
    return this.#chain.run(buffers, (count) => onProgress?.(DONE_AFTER[count] ?? 1));
  }
}

/** Names of a branch's layer outputs; the last is the bottom one. */
function nameLayers(branch: "down" | "downT", count: number): string[] {
  return Array.from({ length: count }, (_, layer) => `${branch}${layer}`);
}

function nameAll(shapes: readonly Shape[], names: readonly string[]): NamedShape[] {
  return shapes.map((shape, index) => ({ name: names[index]!, shape }));
}

function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}
