import { loadManifests, type ModelScore } from "../runtime/model-manifest.ts";
import { findWeightsPath } from "../runtime/weights-file.ts";

export type EngineModel = {
  /** A catalogue id, e.g. "vocals". */
  id: string;
  /** Variants that really run. */
  variants: string[];
  weights: { name: string; licence: string; sha256: string };
  scores: Omit<ModelScore, "model">[];
};

/** The catalogue models whose network is on this machine. */
export function listEngineModels(): EngineModel[] {
  return loadManifests()
    .filter((manifest) => findWeightsPath(manifest.weights) !== undefined)
    .flatMap(({ serves, name, licence, weights, scores }) =>
      serves.map(({ model, variants }) => ({
        id: model,
        variants,
        weights: { name, licence, sha256: weights.sha256 },
        scores: scores.filter((score) => score.model === model).map(({ model: _, ...score }) => score),
      })),
    );
}
