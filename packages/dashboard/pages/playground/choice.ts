import type { Model, TargetInput } from "@stemwright/sdk";

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
  url: "",
};

const RESIDUAL = "~residual";
/** A longer text would make addresses that some servers and chats truncate; it is then kept only in the page. */
const TRANSCRIPT_MAX_CHARACTERS = 1500;
const listOf = (text: string | null) => (text ?? "").split(",").filter((item) => item !== "");

function parseModel(text: string): ChosenModel {
  const isResidual = text.endsWith(RESIDUAL);
  const [id = "", variant] = (isResidual ? text.slice(0, -RESIDUAL.length) : text).split("/");
  return { id, ...(variant ? { variant } : {}), ...(isResidual ? { isResidual } : {}) };
}

/** Parses the choice from an address: `m=vocals/high_quality~residual&m=drums&audio=wav,mp3`. */
export function parseChoice(query: URLSearchParams): Choice {
  const bitDepth = query.get("bits");
  return {
    models: query.has("m") ? query.getAll("m").map(parseModel) : FIRST_CHOICE.models,
    audioFormats: query.has("audio") ? listOf(query.get("audio")) : FIRST_CHOICE.audioFormats,
    textFormats: query.has("text") ? listOf(query.get("text")) : FIRST_CHOICE.textFormats,
    bitDepth: bitDepth === "16" || bitDepth === "24" || bitDepth === "32" ? bitDepth : "",
    language: query.get("language") ?? "",
    transcript: query.get("transcript") ?? "",
    url: query.get("url") ?? "",
  };
}

export function toQuery(choice: Choice): URLSearchParams {
  const query = new URLSearchParams();
  for (const { id, variant, isResidual } of choice.models)
    query.append("m", `${id}${variant ? `/${variant}` : ""}${isResidual ? RESIDUAL : ""}`);
  query.set("audio", choice.audioFormats.join(","));
  query.set("text", choice.textFormats.join(","));
  const { bitDepth, language, url, transcript } = choice;
  const others = { bits: bitDepth, language, url, transcript };
  for (const [name, value] of Object.entries(others))
    if (value !== "" && value.length <= TRANSCRIPT_MAX_CHARACTERS) query.set(name, value);
  return query;
}

export const isTextModel = ({ outputFormats = [] }: Model) => outputFormats.includes("json");
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
    const wanted = isTextModel(model) ? choice.textFormats : choice.audioFormats;
    const formats = wanted.filter((format) => model.outputFormats?.includes(format));
    const [first] = model.outputFormats ?? [];
    return [
      {
        model: id,
        formats: formats.length > 0 || first === undefined ? formats : [first],
        ...(variant ? { variant } : {}),
        ...(isResidual && !isTextModel(model) ? { residual: true } : {}),
        ...(choice.language !== "" && model.supportedLanguages ? { language: choice.language } : {}),
        ...(choice.bitDepth !== "" && formats.includes("wav")
          ? { bitDepth: Number(choice.bitDepth) as 16 | 24 | 32 }
          : {}),
        ...(options.transcriptAssetId !== undefined && takesTranscript(model)
          ? { transcriptAssetId: options.transcriptAssetId }
          : {}),
      },
    ];
  });
}
