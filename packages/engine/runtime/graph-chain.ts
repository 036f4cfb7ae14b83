import type { SessionOptions } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import { NetworkSession, type TensorData } from "./network-session.ts";

/** An input or output of a graph, under a name shared by the graphs of a chain. */
export type NamedShape = { name: string; shape: readonly number[] };

/** A graph, with its inputs and outputs in order. */
export type ChainLink = {
  /** An ONNX file, or the index of the link whose graph this one runs with other weights. */
  file: Uint8Array | number;
  inputs: readonly NamedShape[];
  outputs: readonly NamedShape[];
  /** Further inputs that stay the same. */
  weights?: readonly { data: TensorData; shape: readonly number[] }[];
  /** Split inputs and outputs along their first axis and run the graph for this many rows at a time: less memory, and that stays in the cache. */
  rowsAtOnce?: number;
  /** Run only if the caller wants one of its outputs. */
  isOptional?: boolean;
};

/** Tensor data by the names in the chain. */
export type Buffers = Record<string, Float32Array>;

type LoadedLink = Omit<ChainLink, "file"> & { session: NetworkSession };

/** Graphs that run in order, each on the outputs of those before it. */
export class GraphChain {
  readonly #links: LoadedLink[] = [];
  /** Buffers between links, allocated once. */
  readonly #between: Buffers = {};

  async add({ file, ...link }: ChainLink, options: SessionOptions): Promise<ExecutionProvider> {
    const session =
      typeof file === "number" ? this.#links[file]?.session : await NetworkSession.load(file, options);
    if (session === undefined) throw new RangeError(`the chain has no link ${file}`);
    this.#links.push({ session, ...link });
    return session.executionProvider;
  }

  /** Runs the chain on the inputs and outputs in `outer`; everything else stays in the chain. */
  async run(outer: Buffers, onLinkDone: (count: number) => void): Promise<void> {
    for (const [index, link] of this.#links.entries()) {
      const isWanted = !link.isOptional || link.outputs.some(({ name }) => outer[name] !== undefined);
      if (isWanted) await this.#runLink(link, outer);
      onLinkDone(index + 1);
    }
  }

  async #runLink(link: LoadedLink, outer: Buffers): Promise<void> {
    const { session, inputs, outputs, weights = [], rowsAtOnce } = link;
    weights.forEach(({ data, shape }, index) => {
      session.setConstant(inputs.length + index, shape, data);
    });
    const rowCount = inputs[0]?.shape[0] ?? 1;
    for (let from = 0; from < rowCount; from += rowsAtOnce ?? rowCount) {
      const part = rowsAtOnce === undefined ? undefined : { from, to: Math.min(rowCount, from + rowsAtOnce) };
      inputs.forEach((port, at) => {
        const { shape, data } = takeRows(port, part, this.#find(port, outer));
        session.getInput(at, shape, data);
      });
      outputs.forEach((port, at) => {
        const { shape, data } = takeRows(port, part, this.#find(port, outer));
        session.getOutput(at, shape, data);
      });
      await session.run();
    }
  }

  #find({ name, shape }: NamedShape, outer: Buffers): Float32Array {
    const known = outer[name] ?? this.#between[name];
    if (known) return known;
    const made = new Float32Array(shape.reduce((product, size) => product * size, 1));
    this.#between[name] = made;
    return made;
  }
}

function takeRows(
  { shape }: NamedShape,
  part: { from: number; to: number } | undefined,
  data: Float32Array,
): { shape: readonly number[]; data: Float32Array } {
  if (part === undefined) return { shape, data };
  const rowSize = shape.slice(1).reduce((product, size) => product * size, 1);
  return {
    shape: shape.with(0, part.to - part.from),
    data: data.subarray(part.from * rowSize, part.to * rowSize),
  };
}
