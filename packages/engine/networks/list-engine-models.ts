import {
  chooseManifest,
  findReadNetwork,
  findSpeakerNetworks,
  isStemManifest,
  listWeightsFiles,
  loadManifests,
  type Manifest,
  type ManifestOptions,
  type ModelScore,
} from "../manifests/manifest.ts";
import { listModelParts, type ModelParts } from "../manifests/model-parts.ts";
import { findWeightsPath } from "../runtime/weights-file.ts";

export type EngineModel = {
  /** A catalogue id, e.g. "vocals". */
  id: string;
  /** Variants that are actually available. */
  variants: string[];
  weights: { name: string; licence: string };
  scores: Omit<ModelScore, "model">[];
  /** Of a model that is a sum of stems. */
  sound?: ModelParts;
};

/** The catalogue models whose network is installed. */
export function listEngineModels(options: ManifestOptions = {}): EngineModel[] {
  const manifests = loadManifests(options);
  const sounds = listModelParts(manifests);
  return manifests
    .filter((manifest) => {
      const networks = listNetworks(manifest, manifests);
      return (
        networks.length > 0 &&
        networks.flatMap(listWeightsFiles).every((file) => findWeightsPath(file) !== undefined)
      );
    })
    .flatMap((manifest, _, installed) =>
      manifest.serves
        .filter(
          ({ model }) =>
            chooseManifest(
              model,
              installed.filter((one) => serves(one, model)),
            ) === manifest,
        )
        .map(({ model, variants }) => ({
          id: model,
          variants,
          weights: describeWeights(listNetworks(manifest, manifests)),
          scores: manifest.scores
            .filter((score) => score.model === model)
            .map(({ model: _model, ...score }) => score),
          ...pickSound(sounds.get(manifest.id)?.get(model)),
        })),
    );
}

const serves = (manifest: Manifest, model: string) =>
  manifest.serves.some((service) => service.model === model);

const pickSound = (sound: ModelParts | undefined) => (sound === undefined ? {} : { sound });

/** The network, the one whose stem it takes as input, and those that identify speakers for it. */
function listNetworks(manifest: Manifest, manifests: readonly Manifest[]): Manifest[] {
  if (manifest.family === "voice-split") {
    const speakers = findSpeakerNetworks(manifests);
    return speakers ? [manifest, ...Object.values(speakers)] : [];
  }
  const network = isStemManifest(manifest) ? findReadNetwork(manifest, manifests) : undefined;
  return network === undefined ? [manifest] : [manifest, ...listNetworks(network, manifests)];
}

/** A model needs the weights of all its networks. */
function describeWeights(networks: readonly Manifest[]): EngineModel["weights"] {
  const join = (field: "name" | "licence") => networks.map((network) => network[field]).join(" + ");
  return { name: join("name"), licence: join("licence") };
}
