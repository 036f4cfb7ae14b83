import type { Model } from "@stemwright/sdk";

const TITLES: Record<string, string> = {
  "instrument-stems": "Voices and instruments",
  "dialogue-music-effects": "Dialogue, music and effects",
  "transcription-alignment": "Words",
};

export type ModelGroup = { title: string; models: readonly Model[] };

/** The catalogue by category, in catalogue order. */
export const groupModels = (models: readonly Model[]): ModelGroup[] =>
  [...Map.groupBy(models, ({ category }) => category)].map(([category, group]) => ({
    title: TITLES[category] ?? category,
    models: group,
  }));
