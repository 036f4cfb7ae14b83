import { SafeTensors } from "../checkpoints/safetensors.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { SessionOptions } from "../runtime/create-session.ts";
import type { ChainLink } from "../runtime/graph-chain.ts";
import { GraphThread } from "../runtime/graph-thread.ts";
import { SpectrumNetwork, type SpectrumNetworkShape } from "./spectrum-network.ts";
import type { LoadedNetwork } from "./stem-network.ts";
import { toWeightsByName, type WeightsByName } from "./weights-by-name.ts";

/** Loads the parts of a network as a chain: each graph's session is created while the next graph is being built. */
export async function loadSpectrumNetwork(
  path: string,
  manifest: Pick<StemManifest, "segmentFrames" | "stems">,
  {
    shape,
    build,
    options,
  }: {
    shape: SpectrumNetworkShape;
    build: (weights: WeightsByName) => Iterable<ChainLink>;
    options: SessionOptions;
  },
): Promise<LoadedNetwork> {
  const chain = await GraphThread.startChain({ ...options, executionProvider: "cpu" });
  const adding: Promise<unknown>[] = [];
  {
    using tensors = new SafeTensors(path);
    for (const link of build(toWeightsByName(tensors))) {
      const added = chain.add(link);
      // All are awaited below, which reports the first failure.
      added.catch(() => {});
      adding.push(added);
    }
  }
  await Promise.all(adding);
  return {
    network: new SpectrumNetwork(manifest, { chain, linkCount: adding.length, shape }),
    runsOn: "cpu",
  };
}
