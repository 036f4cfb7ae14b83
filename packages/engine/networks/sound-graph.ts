import type { StemManifest } from "../manifests/manifest.ts";
import type { SessionOptions } from "../runtime/create-session.ts";
import type { Buffers } from "../runtime/graph-chain.ts";
import { getStemIndex, type LoadedNetwork, type StemNetwork } from "./stem-network.ts";
import { GpuGraph, tryOnGpu } from "./try-on-gpu.ts";

/** A graph from padded audio, `[2, paddedFrames]`, to all stems, `[stems × 2, segmentFrames]`. */
export type SoundGraphFile = {
  file: Uint8Array;
  paddedFrames: number;
  pad: (channel: Float32Array) => Float32Array;
};

type SoundBuffers = Buffers & { padded: Float32Array; stems: Float32Array };

const CHANNELS = 2;

/** A network as one graph from audio to stems, for GPUs. */
export class SoundGraph implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #graph: GpuGraph;
  readonly #shape: Omit<SoundGraphFile, "file">;
  /** As many as there were concurrent segments. */
  readonly #spareBuffers: SoundBuffers[] = [];

  static async load(
    { file, ...shape }: SoundGraphFile,
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    options: SessionOptions,
  ): Promise<SoundGraph> {
    const inputs = [{ name: "padded", shape: [CHANNELS, shape.paddedFrames] }];
    const outputs = [{ name: "stems", shape: [stems.length * CHANNELS, segmentFrames] }];
    const graph = await GpuGraph.load({ file, inputs, outputs }, options);
    return new SoundGraph(graph, shape, { segmentFrames, stems });
  }

  private constructor(
    graph: GpuGraph,
    shape: Omit<SoundGraphFile, "file">,
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#graph = graph;
    this.#shape = shape;
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    const buffers = this.#spareBuffers.pop() ?? this.#makeBuffers();
    const { pad, paddedFrames } = this.#shape;
    segment.forEach((channel, index) => {
      buffers.padded.set(pad(channel), index * paddedFrames);
    });
    const filled = await this.#graph.run(buffers);
    this.#spareBuffers.push(filled);
    return new Map(stems.map((stem) => [stem, this.#collect(stem, filled.stems)]));
  }

  #collect(stem: string, all: Float32Array): Float32Array[] {
    const index = getStemIndex(this.#stems, stem);
    return [0, 1].map((channel) => {
      const start = (index * CHANNELS + channel) * this.segmentFrames;
      return all.slice(start, start + this.segmentFrames);
    });
  }

  #makeBuffers(): SoundBuffers {
    return {
      padded: new Float32Array(CHANNELS * this.#shape.paddedFrames),
      stems: new Float32Array(this.#stems.length * CHANNELS * this.segmentFrames),
    };
  }
}

/** Undefined if no GPU can run the network. */
export async function loadOnGpu(
  build: () => SoundGraphFile,
  manifest: StemManifest,
  options: SessionOptions,
): Promise<LoadedNetwork | undefined> {
  const found = await tryOnGpu(manifest.id, options, () => SoundGraph.load(build(), manifest, options));
  return found && { network: found.loaded, runsOn: found.runsOn };
}
