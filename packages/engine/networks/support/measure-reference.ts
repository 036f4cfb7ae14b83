import type { StemManifest } from "../../manifests/manifest.ts";
import type { Architecture, Recognised } from "../architecture.ts";
import { Reference } from "./reference.ts";
import { separateWhole } from "./separate-whole.ts";

/** How closely an architecture gives the stems of an original implementation: the power of each over that of the difference, in dB. */
export async function measureReference(
  architecture: Architecture,
  path: string,
  store: (reference: Reference) => Disposable & { path: string } = (reference) => reference.store(),
): Promise<number[]> {
  const reference = new Reference(path);
  const recognised = architecture.recognise(reference.checkpoint);
  if (recognised === undefined) throw new Error("the reference is not recognised");
  using stored = store(reference);
  const manifest = toManifest(recognised, stored.path);
  const { network } = await architecture.load(stored.path, manifest, { threads: 2, inBytes: false });
  return reference.compare(await separateWhole(network, recognised, reference.makeAudio()));
}

export function toManifest(recognised: Recognised, path: string): StemManifest {
  return {
    ...recognised,
    ...{ id: "reference", name: recognised.title, licence: "", source: "", scores: [], serves: [] },
    ...{ passSeconds: 1, startShares: {} },
    weights: { file: path, sha256: "", sizeBytes: 0 },
  };
}
