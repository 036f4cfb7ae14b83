import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { linear, linearInBytes } from "../../linear.ts";
import { type Branch, decodeBranch, encodeBranch, planBranches } from "./branches.ts";
import type { DemucsGraph } from "./demucs-graph.ts";
import { crossTransformer } from "./transformer.ts";

type Shape = readonly number[];
type Network = Pick<DemucsGraph, "weights" | "config">;

/** A part of the network as an ONNX file, with the shapes of its inputs and outputs in order. */
export type GraphPart = { file: Uint8Array; inputs: Shape[]; outputs: Shape[] };

/**
 * From a branch's input to the outputs of its layers. The network is split into up to five graphs because onnxruntime plans a graph's memory as a
 * whole and keeps buffers of the first layers until the last: 2.6 GB as one graph, 1.1 GB as five. `joins` is the shape of what joins the spectrum's
 * branch: its second input.
 */
export function buildEncoder(
  network: Network,
  branch: Branch,
  { input, joins }: { input: Shape; joins?: Shape | undefined },
): GraphPart {
  const part = new PartBuilder();
  const values = { input: part.input(input), joins: joins && part.input(joins) };
  for (const value of encodeBranch({ graph: part.graph, ...network }, branch, values)) part.output(value);
  return part.build();
}

/** Takes the bottom outputs of both branches and returns them in the same shapes. */
export function buildTransformer(
  network: Network,
  { spectrum, waveform, inBytes }: { spectrum: Shape; waveform: Shape; inBytes: boolean },
): GraphPart {
  const part = new PartBuilder();
  const inputs = [part.input(spectrum), part.input(waveform)] as const;
  const scope = { graph: part.graph, ...network, multiply: inBytes ? linearInBytes : linear };
  const transformed = crossTransformer(scope, ...inputs);
  part.output(transformed.spectrum);
  part.output(transformed.waveform);
  return part.build();
}

/**
 * From `middle`, if any, and the outputs of the encoder layers, deepest first, to the branch's output. The spectrum's branch also returns where the
 * waveform's parts from it, if it does.
 */
export function buildDecoder(
  network: Network & Pick<DemucsGraph, "sparesProducts">,
  branch: Branch,
  { input, middle, encoded: shapes }: { input: Shape; middle: Shape | undefined; encoded: readonly Shape[] },
): GraphPart {
  const part = new PartBuilder();
  // Layers over time behind the merge have the slots as length.
  const lengths = planBranches(network)[branch].map(({ isSpectrum }, level) => {
    const shape = [input, ...shapes][level]!;
    return shape.at(isSpectrum ? 2 : -1)!;
  });
  const first = middle && part.input(middle);
  const encoded = shapes
    .toReversed()
    .map((shape) => part.input(shape))
    .toReversed();
  const { output, parting } = decodeBranch({ graph: part.graph, ...network }, branch, {
    middle: first,
    encoded,
    lengths,
  });
  part.output(output);
  if (parting) part.output(parting);
  return part.build();
}

class PartBuilder {
  readonly graph = new GraphBuilder();
  readonly #inputs: Shape[] = [];
  readonly #outputs: Shape[] = [];

  input(shape: Shape): Value {
    this.#inputs.push(shape);
    return this.graph.input(`input${this.#inputs.length}`, shape);
  }

  output(value: Value): void {
    this.#outputs.push(value.dims);
    this.graph.output(value);
  }

  build(): GraphPart {
    return { file: this.graph.toBytes(), inputs: this.#inputs, outputs: this.#outputs };
  }
}
