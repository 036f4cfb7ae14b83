import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { NamedShape } from "../../runtime/graph-chain.ts";
import { GraphThread, type ThreadChain } from "../../runtime/graph-thread.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { buildDecoder, buildEncoder, buildTransformer, type GraphPart } from "./graph/build-parts.ts";

type Shape = readonly number[];

/** Progress within a segment after each graph, by its share of the time. */
const DONE_AFTER = [0, 0.16, 0.24, 0.65, 0.9, 1];

/** Measured on arm64 alone. On x64 convolutions run in a blocked layout, from which tiles would have to be copied. */
const SPARES_PRODUCTS = process.arch === "arm64";

/** Inputs and outputs; a run takes ownership of the memory and hands it back. */
export type HybridBuffers = Record<"waveform" | "spectrum" | "waveformOut" | "spectrumOut", Float32Array>;

/**
 * The network's graphs, connected: two encoders, the transformer, two decoders. Rebuilt from the weights instead of running the exported graph, in half
 * the time and memory (decision 21).
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
    path: string,
    options: SessionOptions,
    shapes: { waveform: Shape; spectrum: Shape },
  ): Promise<HybridNetwork> {
    const { waveform, spectrum } = shapes;
    const chain = await GraphThread.startChain(options);
    using file = new ByteFile(path);
    const weights = new OnnxWeights(file);
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

    const down = buildEncoder(weights, "encoder", spectrum);
    add(down, { inputs: ["spectrum"], outputs: nameLayers("down") });
    const downT = buildEncoder(weights, "tencoder", waveform);
    add(downT, { inputs: ["waveform"], outputs: nameLayers("downT") });
    const inBytes = options.inBytes ?? (await hasExactByteProducts());
    const bottoms = { spectrum: down.outputs.at(-1)!, waveform: downT.outputs.at(-1)! };
    const middle = buildTransformer(weights, { ...bottoms, inBytes });
    add(middle, { inputs: ["down3", "downT3"], outputs: ["middle", "middleT"] });
    const up = buildDecoder(weights, "decoder", {
      input: spectrum,
      encoded: down.outputs,
      sparesProducts: SPARES_PRODUCTS,
    });
    add(up, { inputs: ["middle", ...nameLayers("down").toReversed()], outputs: ["spectrumOut"] });
    const upT = buildDecoder(weights, "tdecoder", {
      input: waveform,
      encoded: downT.outputs,
      sparesProducts: SPARES_PRODUCTS,
    });
    add(upT, { inputs: ["middleT", ...nameLayers("downT").toReversed()], outputs: ["waveformOut"] });
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
function nameLayers(branch: "down" | "downT"): string[] {
  return [0, 1, 2, 3].map((layer) => `${branch}${layer}`);
}

function nameAll(shapes: readonly Shape[], names: readonly string[]): NamedShape[] {
  return shapes.map((shape, index) => ({ name: names[index]!, shape }));
}

function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}
