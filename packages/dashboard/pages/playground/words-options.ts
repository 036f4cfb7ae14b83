import type { Model, TargetInput } from "@stemwright/sdk";

/** Options of transcription and alignment, as they are typed: empty is the service's default. */
export type WordsOptions = {
  /** Empty for nobody, `any` to find out how many there are, or their number. */
  speakers: string;
  speakerNames: boolean;
  /** Names and terms, with commas or line breaks between them. */
  keywords: string;
  prompt: string;
  translate: boolean;
  maxLineLength: string;
  maxLines: string;
  /** Times count from where the audio starts, not from the start of a video file. */
  isFromAudio: boolean;
};

export const NO_WORDS_OPTIONS: WordsOptions = {
  speakers: "",
  speakerNames: false,
  keywords: "",
  prompt: "",
  translate: false,
  maxLineLength: "",
  maxLines: "",
  isFromAudio: false,
};

/** The limits of the contract, which the fields show. */
export const SPEAKERS_MAX = 8;
const KEYWORDS_MAX = 100;
export const LINE_LENGTHS = { min: 10, max: 100 };
export const LINES_MAX = 3;

export const isTranscribing = ({ category, inputs }: Model) =>
  category === "transcription-alignment" && inputs !== undefined;

export const parseKeywords = (text: string) => [
  ...new Set(
    text
      .split(/[,;\n]/)
      .map((keyword) => keyword.trim())
      .filter((keyword) => keyword !== ""),
  ),
];

const toNumber = (text: string, { min, max }: { min: number; max: number }) => {
  const value = Number(text);
  return text !== "" && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
};

/** Drops what a link from elsewhere may say and the service would refuse. */
export function parseWordsOptions(query: URLSearchParams): WordsOptions {
  const number = (name: string, limits: { min: number; max: number }) =>
    toNumber(query.get(name) ?? "", limits)?.toString() ?? "";
  const speakers = query.get("speakers");
  return {
    speakers: speakers === "any" ? "any" : number("speakers", { min: 1, max: SPEAKERS_MAX }),
    speakerNames: query.get("names") === "yes",
    keywords: query.get("keywords") ?? "",
    prompt: query.get("prompt") ?? "",
    translate: query.get("translate") === "yes",
    maxLineLength: number("letters", LINE_LENGTHS),
    maxLines: number("rows", { min: 1, max: LINES_MAX }),
    isFromAudio: query.get("times") === "audio",
  };
}

/** By their names in the address. */
export const toWordsQuery = (options: WordsOptions): Record<string, string> => ({
  speakers: options.speakers,
  names: options.speakerNames ? "yes" : "",
  keywords: options.keywords,
  prompt: options.prompt,
  translate: options.translate ? "yes" : "",
  letters: options.maxLineLength,
  rows: options.maxLines,
  times: options.isFromAudio ? "audio" : "",
});

/** The fields of a target; none for a model that writes no words. */
export function toWordsFields(options: WordsOptions, model: Model): Partial<TargetInput> {
  if (!isTranscribing(model)) return {};
  const keywords = parseKeywords(options.keywords).slice(0, KEYWORDS_MAX);
  const maxLineLength = toNumber(options.maxLineLength, LINE_LENGTHS);
  const maxLines = toNumber(options.maxLines, { min: 1, max: LINES_MAX });
  const { speakers } = options;
  return {
    ...(speakers === "" ? {} : { speakers: speakers === "any" ? true : Number(speakers) }),
    ...(speakers !== "" && options.speakerNames ? { speakerNames: true } : {}),
    ...(keywords.length > 0 ? { keywords } : {}),
    ...(options.prompt.trim() === "" ? {} : { prompt: options.prompt.trim() }),
    ...(options.translate && model.id === "transcription" ? { translate: true } : {}),
    ...(maxLineLength === undefined ? {} : { maxLineLength }),
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(options.isFromAudio ? { fileTimeline: false } : {}),
  };
}
