import { z } from "zod";
import { id } from "./id.ts";
import { outputFile } from "./output.ts";
import { givenId, plainText } from "./plain-text.ts";

export const TARGET_STATUSES = ["processing", "completed", "error"] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

/** The limit of the networks: their prompt holds some 220 tokens. */
export const MAX_PROMPT_CHARACTERS = 1000;
export const MAX_KEYWORDS = 100;
export const MAX_KEYWORD_CHARACTERS = 60;

/** Options of all text models; another model refuses them. */
const textOptions = {
  translate: z.boolean().exactOptional().meta({ description: "Transcription only: translate into English" }),
  prompt: plainText(MAX_PROMPT_CHARACTERS).exactOptional().meta({
    description: "Transcription and alignment: text that precedes the recording, to guide spelling and style",
  }),
  keywords: z
    .array(plainText(MAX_KEYWORD_CHARACTERS).refine((text) => text.trim() !== "", "must not be blank"))
    .max(MAX_KEYWORDS, `may have at most ${MAX_KEYWORDS} elements`)
    .exactOptional()
    .meta({
      description: "Transcription and alignment: names and terms that may occur, as spelled",
      example: ["Siobhan", "PostgreSQL"],
    }),
  maxLineLength: z
    .int()
    .min(10)
    .max(100)
    .exactOptional()
    .meta({ description: "Transcription and alignment: characters per subtitle row; defaults to 42" }),
  maxLines: z
    .int()
    .min(1)
    .max(3)
    .exactOptional()
    .meta({ description: "Transcription and alignment: rows per subtitle; defaults to 2" }),
};
export const TEXT_OPTIONS = Object.keys(textOptions) as (keyof typeof textOptions)[];

/** The only list of a target's options; echoed in the Task only if supplied. */
const optionalFields = {
  residual: z
    .boolean()
    .exactOptional()
    .meta({ description: "Also return the residual: the input minus the stem" }),
  variant: plainText(64)
    .exactOptional()
    .meta({ description: "A variant of the model", example: "high_quality" }),
  language: plainText(16).exactOptional().meta({
    description: "ISO 639-1, in any case, with or without a region; defaults to automatic detection",
    example: "en",
  }),
  transcriptUrl: plainText(4096).exactOptional().meta({
    description: "Alignment only: URL of the transcript; for a bucket, with storageIntegrationId",
  }),
  transcriptAssetId: givenId.exactOptional().meta({ description: "Alignment only: the transcript's asset" }),
  ...textOptions,
  speakers: z
    .union([z.boolean(), z.int().min(1).max(8)], "must be true, false or a whole number from 1 to 8")
    .exactOptional()
    .meta({
      description: "Transcription and alignment only: label words by speaker, numbered from 1 where known",
      example: true,
    }),
  speakerNames: z
    .boolean()
    .exactOptional()
    .meta({ description: "With speakers: also label them in srt, vtt and txt" }),
  bitDepth: z
    .literal([16, 24, 32])
    .exactOptional()
    .meta({ description: "Bits of a wav output: 16, 24 or 32 (float, the default)" }),
  fileTimeline: z.boolean().exactOptional().meta({
    description:
      "For inputs with a picture whose audio starts later: true counts times from the start of the file, and begins sounds with silence until the audio starts; false counts from the start of the audio. Absent: true for words and music regions, false for sounds and voices",
  }),
};

export type TargetOptions = z.infer<z.ZodObject<typeof optionalFields>>;
export const TARGET_OPTIONS = Object.keys(optionalFields) as (keyof TargetOptions)[];

/** Without the limits of requests: what is stored may be longer, as a URL is once it is escaped. */
function toStoredField(field: z.ZodExactOptional): z.ZodExactOptional {
  const inner = field.unwrap();
  if (inner instanceof z.ZodString)
    return z
      .string()
      .exactOptional()
      .meta({ ...field.meta() });
  if (inner instanceof z.ZodArray)
    return z
      .array(z.string())
      .exactOptional()
      .meta({ ...field.meta() });
  return field;
}

/** The options in a response, whose types are the same. */
const storedFields = Object.fromEntries(
  Object.entries(optionalFields).map(([name, field]) => [name, toStoredField(field)]),
) as typeof optionalFields;

export const targetRequest = z
  .object({
    model: plainText(100).meta({ description: "A model id of GET /models", example: "vocals" }),
    formats: z
      .array(plainText(16))
      .min(1, "must name at least one format")
      .max(20)
      .meta({
        description: "Output formats, each one of the model's outputFormats",
        example: ["wav", "mp3"],
      }),
    ...optionalFields,
  })
  .meta({ id: "TargetRequest" });
export type TargetRequest = z.infer<typeof targetRequest>;
export type TargetInput = z.input<typeof targetRequest>;

export const target = z
  .object({
    id,
    model: z.string(),
    status: z.enum(TARGET_STATUSES),
    formats: z.array(z.string()),
    output: z.array(outputFile),
    url: z.string().exactOptional().meta({ description: "The Task's url again" }),
    cost: z.number().exactOptional().meta({ description: "Credits; only when completed" }),
    error: z
      .object({ code: z.int(), message: z.string() })
      .exactOptional()
      .meta({ description: "Only when status is error" }),
    duration: z
      .number()
      .exactOptional()
      .meta({ description: "Seconds of audio processed; only when completed" }),
    audioOffset: z.number().positive().exactOptional().meta({
      description:
        "Seconds from the start of the file to the start of its audio; only when completed, for inputs with a picture whose audio starts later",
    }),
    ...storedFields,
    progress: z.number().min(0).max(1).exactOptional().meta({ description: "Only while processing" }),
    queuePosition: z
      .int()
      .min(0)
      .exactOptional()
      .meta({ description: "Only while processing: 0 when running, 1 when next, counted up to 1000" }),
    etaSeconds: z
      .int()
      .min(0)
      .exactOptional()
      .meta({ description: "Only while processing, once known: seconds until it is done" }),
  })
  .meta({ id: "Target" });
export type Target = z.infer<typeof target>;
