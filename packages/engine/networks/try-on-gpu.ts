import { GpuFailed } from "../gpu-failed.ts";
import type { SessionOptions } from "../runtime/create-session.ts";
import type { Buffers, ChainLink } from "../runtime/graph-chain.ts";
import { GraphThread, type ThreadChain } from "../runtime/graph-thread.ts";

/** A graph that runs entirely on a GPU. */
export class GpuGraph {
  readonly #chain: ThreadChain;

  static async load(link: ChainLink, options: SessionOptions): Promise<GpuGraph> {
    const chain = await GraphThread.startChain({ ...options, isWhole: true });
    await chain.add(link);
    return new GpuGraph(chain);
  }

  private constructor(chain: ThreadChain) {
    this.#chain = chain;
  }

  /** Any error here is treated as the GPU's: the CPU runs different graphs. */
  async run<Taken extends Buffers>(buffers: Taken): Promise<Taken> {
    try {
      return await this.#chain.run(buffers);
    } catch (error) {
      throw new GpuFailed(error);
    }
  }
}

/** The result of `load` if a GPU can run the network; otherwise undefined, with the reason as a notice. */
export async function tryOnGpu<Loaded>(
  network: string,
  { executionProvider = "cpu", onNotice, onGpuUse }: SessionOptions,
  load: () => Promise<Loaded>,
): Promise<{ loaded: Loaded; runsOn: string } | undefined> {
  if (executionProvider === "cpu") return undefined;
  onGpuUse?.();
  try {
    return { loaded: await load(), runsOn: executionProvider };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onNotice?.(
      `The execution provider ${executionProvider} cannot be used for ${network}, which runs on the CPU. ${reason}`,
    );
    return undefined;
  }
}
