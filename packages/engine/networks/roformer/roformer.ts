import { SafeTensors } from "../../checkpoints/safetensors.ts";
import type { StemManifest } from "../../manifests/manifest.ts";
import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphThread } from "../../runtime/graph-thread.ts";
import type { Architecture, Checkpoint, Recognised } from "../architecture.ts";
import type { LoadedNetwork } from "../stem-network.ts";
import { readDimensions } from "./read-dimensions.ts";
import { recogniseRoformer } from "./recognise.ts";
import { RoformerNetwork } from "./roformer-network.ts";

async function load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
  using tensors = new SafeTensors(path);
  const dimensions = readDimensions(tensors.list());
  if (dimensions === undefined) throw new Error(`the weights of ${manifest.id} are no RoFormer's`);
  const inBytes = options.inBytes ?? (await hasExactByteProducts());
  const chain = await GraphThread.startChain({ ...options, executionProvider: "cpu", keepsMemory: true });
  const network = await RoformerNetwork.load(tensors, dimensions, { shape: manifest, chain, inBytes });
  return { network, runsOn: inBytes ? "cpu in bytes" : "cpu" };
}

const makeArchitecture = (title: string, kind: "bs" | "mel"): Architecture => ({
  title,
  load,
  recognise: (checkpoint: Checkpoint): Recognised | undefined =>
    recogniseRoformer(checkpoint, { kind, title }),
});

export const BS_ROFORMER = makeArchitecture("BS-RoFormer", "bs");
export const MEL_BAND_ROFORMER = makeArchitecture("Mel-Band RoFormer", "mel");
