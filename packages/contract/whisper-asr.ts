import { z } from "zod";

/** Requests and responses of whisper-asr-webservice, with its names. */

export const ASR_OUTPUTS = ["txt", "vtt", "srt", "tsv", "json"] as const;
export type AsrOutput = (typeof ASR_OUTPUTS)[number];

/** Booleans have many spellings in a query. */
const flag = (byDefault: "true" | "false") =>
  z
    .string()
    .default(byDefault)
    .transform((text) => /^(true|1|yes|on)$/i.test(text));

const encode = flag("true").meta({
  description: "False for raw audio: 16-bit little-endian samples, mono, 16 kHz",
});

export const asrQuery = z.object({
  task: z.enum(["transcribe", "translate"]).default("transcribe"),
  language: z
    .string()
    .exactOptional()
    .meta({ description: "ISO 639-1; absent or empty for automatic detection" }),
  initial_prompt: z
    .string()
    .exactOptional()
    .meta({ description: "Text that precedes the recording, to guide spelling and style" }),
  output: z.enum(ASR_OUTPUTS).default("txt"),
  word_timestamps: flag("false").meta({ description: "With output json: the words of each segment" }),
  encode,
});
export type AsrQuery = z.infer<typeof asrQuery>;

export const detectLanguageQuery = z.object({ encode });

export const detectedLanguage = z
  .object({
    detected_language: z.string().meta({ description: "In English, lower case", example: "english" }),
    language_code: z.string().meta({ example: "en" }),
    confidence: z.number(),
  })
  .meta({ id: "DetectedLanguage" });
export type DetectedLanguage = z.infer<typeof detectedLanguage>;
