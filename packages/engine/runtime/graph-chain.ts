import type { SessionOptions } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import { NetworkSession } from "./network-session.ts";

/** An input or output of a graph, under a name shared by the graphs of a chain. */
export type NamedShape = { name: string; shape: readonly number[] };

/** A graph as an ONNX file, with its inputs and outputs in order. */
export type ChainLink = { file: Uint8Array; inputs: readonly NamedShape[]; outputs: readonly NamedShape[] };

/** Tensor data by the names in the chain. */
export type Buffers = Record<string, Float32Array>;

/** Graphs that run in order, each on the outputs of those before it. */
export class GraphChain {
  readonly #links: { session: NetworkSession; link: Omit<ChainLink, "file"> }[] = [];
  /** Buffers between links, allocated once. */
  readonly #between: Buffers = {};

  async add({ file, ...link }: ChainLink, options: SessionOptions): Promise<ExecutionProvider> {
    const session = await NetworkSession.load(file, options);
    this.#links.push({ session, link });
    return session.executionProvider;
  }

  /** Runs the chain on the inputs and outputs in `outer`; everything else stays in the chain. */
  async run(outer: Buffers, onLinkDone: (count: number) => void): Promise<void> {
    for (const [index, { session, link }] of this.#links.entries()) {
      link.inputs.forEach(({ name, shape }, at) => {
        session.getInput(at, shape, outer[name] ?? this.#between[name]);
      });
      link.outputs.forEach(({ name, shape }, at) => {
        const port = session.getOutput(at, shape, outer[name] ?? this.#between[name]);
        if (outer[name] === undefined) this.#between[name] = port.data;
      });
      await session.run();
      onLinkDone(index + 1);
    }
  }
}
