import type { Model, TargetInput } from "@stemwright/sdk";
import {
  NO_WORDS_OPTIONS,
  parseWordsOptions,
  toWordsFields,
  toWordsQuery,
  type WordsOptions,
} from "./words-options.ts";

/** One model of the choice. */
export type ChosenModel = { id: string; variant?: string; isResidual?: boolean };

/** Everything chosen in the playground except the files; all of it is stored in the page's address. */
export type Choice = {
  models: readonly ChosenModel[];
  audioFormats: readonly string[];
  textFormats: readonly string[];
  bitDepth: "" | "16" | "24" | "32";
  /** Of the speech or lyrics; empty for automatic. */
  language: string;
  /** Text to align; empty for none. */
  transcript: string;
  words: WordsOptions;
  /** URL of the input, if it is not an uploaded file. */
  url: string;
};

export const FIRST_CHOICE: Choice = {
  models: [{ id: "vocals" }, { id: "instrumental" }],
  audioFormats: ["wav"],
  textFormats: ["json"],
  bitDepth: "",
  language: "",
  transcript: "",
  words: NO_WORDS_OPTIONS,
  url: "",
};

const RESIDUAL = "~residual";
/** A longer text would make addresses that some servers and chats truncate; it is then kept only in the page. */
const MAX_TRANSCRIPT_CHARACTERS = 1500;
const listOf = (text: string | null) => (text ?? "").split(",").filter((item) => item !== "");

/** Whether a text is a URL, not the name of a file. */
export const isAddress = (text: string) => /^[a-z][a-z0-9+.-]+:\/\/\P{Cc}+$/iu.test(text);

function parseModel(text: string): ChosenModel {
  const isResidual = text.endsWith(RESIDUAL);
  const [id = "", variant] = (isResidual ? text.slice(0, -RESIDUAL.length) : text).split("/");
  return { id, ...(variant ? { variant } : {}), ...(isResidual ? { isResidual } : {}) };
}

const hasVariant = ({ variants = [] }: Model, variant: string) => variants.some(({ id }) => id === variant);

/** Undefined for an unknown model; a variant that the model lacks is dropped. */
function findKnown({ variant, ...chosen }: ChosenModel, models: readonly Model[]): ChosenModel | undefined {
  const model = models.find(({ id }) => id === chosen.id);
  if (!model) return undefined;
  return variant !== undefined && hasVariant(model, variant) ? { ...chosen, variant } : chosen;
}

const isKnown = (value: string, lists: readonly (readonly string[] | undefined)[]) =>
  lists.some((list) => list?.includes(value));

/**
 * Parses the choice from an address: `m=vocals/high_quality~residual&m=drums&audio=wav,mp3`. Anybody can write a link, so
 * whatever the models don't know is dropped.
 */
export function parseChoice(query: URLSearchParams, models: readonly Model[]): Choice {
  const bitDepth = query.get("bits");
  const language = query.get("language") ?? "";
  const url = query.get("url") ?? "";
  const formats = models.map(({ outputFormats }) => outputFormats);
  const listFormats = (name: string) => listOf(query.get(name)).filter((format) => isKnown(format, formats));
  return {
    models: query.has("m")
      ? query.getAll("m").flatMap((text) => findKnown(parseModel(text), models) ?? [])
      : FIRST_CHOICE.models,
    audioFormats: query.has("audio") ? listFormats("audio") : FIRST_CHOICE.audioFormats,
    textFormats: query.has("text") ? listFormats("text") : FIRST_CHOICE.textFormats,
    bitDepth: bitDepth === "16" || bitDepth === "24" || bitDepth === "32" ? bitDepth : "",
    language: isKnown(
      language,
      models.map(({ supportedLanguages }) => supportedLanguages),
    )
      ? language
      : "",
    transcript: query.get("transcript") ?? "",
    words: parseWordsOptions(query),
    url: isAddress(url) ? url : "",
  };
}

export function toQuery(choice: Choice): URLSearchParams {
  const query = new URLSearchParams();
  for (const { id, variant, isResidual } of choice.models)
    query.append("m", `${id}${variant ? `/${variant}` : ""}${isResidual ? RESIDUAL : ""}`);
  query.set("audio", choice.audioFormats.join(","));
  query.set("text", choice.textFormats.join(","));
  const { bitDepth, language, url, transcript, words } = choice;
  const others = { bits: bitDepth, language, url, transcript, ...toWordsQuery(words) };
  for (const [name, value] of Object.entries(others))
    if (value !== "" && value.length <= MAX_TRANSCRIPT_CHARACTERS) query.set(name, value);
  return query;
}

export const isTextModel = ({ outputFormats = [] }: Model) =>
  outputFormats.includes("json") && !outputFormats.includes("wav");
const isText = (model: Model, format: string) => isTextModel(model) || format === "json";
/** The formats of a model's sound, and those of its text: of voices, json says who speaks when. */
export const listSoundFormats = (model: Model) =>
  (model.outputFormats ?? []).filter((format) => !isText(model, format));
export const listTextFormats = (model: Model) =>
  (model.outputFormats ?? []).filter((format) => isText(model, format));
export const takesTranscript = ({ inputs = [] }: Model) => inputs.some(({ id }) => id === "transcript");

/** The request's targets, each with the chosen formats that its model can write. */
export function toTargets(
  choice: Choice,
  models: readonly Model[],
  options: { transcriptAssetId?: string } = {},
): TargetInput[] {
  return choice.models.flatMap(({ id, variant, isResidual }) => {
    const model = models.find((each) => each.id === id);
    if (!model) return [];
    const formats = [
      ...choice.audioFormats.filter((format) => listSoundFormats(model).includes(format)),
      ...choice.textFormats.filter((format) => listTextFormats(model).includes(format)),
    ];
    const [first] = model.outputFormats ?? [];
    return [
      {
        model: id,
        formats: formats.length > 0 || first === undefined ? formats : [first],
        ...(variant !== undefined && hasVariant(model, variant) ? { variant } : {}),
        ...(isResidual && !isTextModel(model) ? { residual: true } : {}),
        ...(model.supportedLanguages?.includes(choice.language) ? { language: choice.language } : {}),
        ...(choice.bitDepth !== "" && formats.includes("wav")
          ? { bitDepth: Number(choice.bitDepth) as 16 | 24 | 32 }
          : {}),
        ...toWordsFields(choice.words, model),
        ...(options.transcriptAssetId !== undefined && takesTranscript(model)
          ? { transcriptAssetId: options.transcriptAssetId }
          : {}),
      },
    ];
  });
}
