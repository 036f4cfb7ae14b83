/** The parts of a recording that models tell apart. The last one is what no model names. */
const VOICES = ["speech", "lead", "backing"];
const GUITARS = ["electric", "acoustic"];
const OTHER_X_GUITAR = ["piano", "keys", "strings", "wind", "effects", "remainder"];
const OTHER = [...GUITARS, ...OTHER_X_GUITAR];
const INSTRUMENTAL = ["drums", "bass", ...OTHER];
const ALL = [...VOICES, ...INSTRUMENTAL];

/**
 * The parts that each model's stem contains, in the order in which stems are chosen beside a rest: of `other` and `instrumental` rather a part, of voices
 * and guitars rather the whole.
 */
const PARTS_OF_MODEL: Record<string, readonly string[]> = {
  drums: ["drums"],
  bass: ["bass"],
  vocals: VOICES,
  guitar: GUITARS,
  guitar_electric: ["electric"],
  guitar_acoustic: ["acoustic"],
  piano: ["piano"],
  keys: ["keys"],
  strings: ["strings"],
  wind: ["wind"],
  vocals_lead: ["lead"],
  vocals_backing: ["backing"],
  "other-x-guitar": OTHER_X_GUITAR,
  other: OTHER,
  dialogue: ["speech"],
  speech_denoise: ["speech"],
  speech_dereverb: ["speech"],
  effects: ["effects"],
  instrumental: INSTRUMENTAL,
  music: ALL.filter((part) => part !== "speech" && part !== "effects"),
  music_removal: ["speech", "effects"],
  music_fx: ALL.filter((part) => part !== "speech"),
};
const MODELS = Object.keys(PARTS_OF_MODEL);
/** In the order DJ software expects. */
export const STANDARD_MODELS: readonly string[] = ["drums", "bass", "other", "vocals"];

const listParts = (models: readonly string[]) => models.flatMap((model) => PARTS_OF_MODEL[model] ?? []);

/** Of these models, ones whose stems have no part in common, so that nothing is in two of them. What they leave out is for a rest. */
export function chooseBesideRest(models: readonly string[]): readonly string[] {
  // Only four stems fit into a file: with a part of `other` instead of all of it, the rest would have no place.
  if (STANDARD_MODELS.every((model) => models.includes(model))) return STANDARD_MODELS;
  const chosen: string[] = [];
  for (const model of MODELS) if (models.includes(model) && isDistinct(model, chosen)) chosen.push(model);
  return chosen;
}

/**
 * Two to `countMax` of these models whose stems have no part in common and together leave out the least of the recording; of equal choices the one of
 * most stems. None if all of them overlap.
 */
export function chooseFullest(models: readonly string[], countMax: number): readonly string[] {
  let best: readonly string[] = [];
  const isBetter = (chosen: readonly string[]) => {
    const more = listParts(chosen).length - listParts(best).length;
    return chosen.length > 1 && (more > 0 || (more === 0 && chosen.length > best.length));
  };
  const extend = (chosen: readonly string[], rest: readonly string[]): void => {
    if (isBetter(chosen)) best = chosen;
    if (chosen.length === countMax) return;
    for (const [index, model] of rest.entries())
      if (isDistinct(model, chosen)) extend([...chosen, model], rest.slice(index + 1));
  };
  extend(
    [],
    MODELS.filter((model) => models.includes(model)),
  );
  return best;
}

function isDistinct(model: string, chosen: readonly string[]): boolean {
  const taken = listParts(chosen);
  return !listParts([model]).some((part) => taken.includes(part));
}

/** Whether the stems of these models add up to the recording. */
export function isWholeRecording(models: readonly string[]): boolean {
  const parts = listParts(models);
  return ALL.every((part) => parts.includes(part));
}
