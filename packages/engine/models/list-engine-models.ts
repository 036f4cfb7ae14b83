import {
  listWeightsFiles,
  loadManifests,
  type ModelScore,
  type SpeechModel,
} from "../runtime/model-manifest.ts";
import { findWeightsPath } from "../runtime/weights-file.ts";

export type EngineModel = {
  /** A catalogue id, e.g. "vocals". */
  id: string;
  /** Variants that really run. */
  variants: string[];
  weights: { name: string; licence: string };
  scores: Omit<ModelScore, "model">[];
};

/** The catalogue models whose network is on this machine. */
export function listEngineModels(options: { speechModel?: SpeechModel } = {}): EngineModel[] {
  return loadManifests(options)
    .filter((manifest) => listWeightsFiles(manifest).every((file) => findWeightsPath(file) !== undefined))
    .flatMap(({ serves, name, licence, scores }) =>
      serves.map(({ model, variants }) => ({
        id: model,
        variants,
        weights: { name, licence },
        scores: scores.filter((score) => score.model === model).map(({ model: _, ...score }) => score),
      })),
    );
}
