import { z } from "zod";
import { TEXT_OUTPUT_FORMATS } from "./formats.ts";
import { dateTime, id } from "./id.ts";
import { plainText, storableText } from "./plain-text.ts";
import { TARGET_STATUSES } from "./target.ts";

/** More than four hours of the fastest speech. */
export const MAX_WORDS = 50_000;
/** A body with that many words. */
export const MAX_WORDS_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_GAP_SECONDS = 60;
export const MAX_GAP_CHARACTERS = 4000;

const seconds = z.number().min(0).max(1e6);
const speakerDescription = { description: "Speaker, if known" };
const speaker = z.union([z.string(), z.int()]).exactOptional().meta(speakerDescription);

export const timedWord = z
  .object({
    start: seconds.meta({ description: "Seconds" }),
    end: seconds,
    text: z.string().meta({ description: "The word with the white space behind it", example: "ships " }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: "0 for a time that is interpolated, 1 for one that a person set" }),
    speaker,
  })
  .meta({ id: "TimedWord" });
export type TimedWord = z.infer<typeof timedWord>;

/** Stored as JSON text, which takes lone surrogates too. */
const editedSpeaker = z
  .union([storableText.max(64), z.int()], "must be a name of at most 64 characters, or a whole number")
  .exactOptional()
  .meta(speakerDescription);
/** Its text has no limit: a given text may have words of any length, which come back when others are edited. */
const editedWord = timedWord.extend({
  confidence: timedWord.shape.confidence.default(1),
  speaker: editedSpeaker,
});

export const timedLine = z
  .object({
    start: seconds,
    end: seconds,
    text: z.string().meta({ description: "The join of its words" }),
    words: z.array(timedWord),
    speaker,
  })
  .meta({ id: "TimedLine" });
export type TimedLine = z.infer<typeof timedLine>;

export const words = z
  .object({
    revision: z.int().meta({ description: "Number of changes; an edit names the revision it is based on" }),
    isEdited: z.boolean().meta({ description: "False if these are the original words" }),
    updatedAt: dateTime.nullable(),
    text: z.string(),
    lines: z.array(timedLine),
    metadata: z
      .looseObject({ language: z.string().exactOptional() })
      .meta({ description: "From the transcription: language, languageConfidence, model" }),
    duration: z.number().meta({ description: "Seconds of audio" }),
  })
  .meta({ id: "Words" });
export type Words = z.infer<typeof words>;

export const wordsEdit = z
  .object({
    revision: z
      .int()
      .min(0)
      .meta({ description: "The revision the edit is based on; another by now is 409" }),
    lines: z
      .array(
        z.object({
          words: z.array(editedWord).min(1).max(MAX_WORDS),
          speaker: editedSpeaker,
        }),
      )
      .max(MAX_WORDS)
      .meta({ description: `Times in order and apart; at most ${MAX_WORDS} words in all` }),
  })
  .meta({ id: "WordsEdit" });
export type WordsEdit = z.output<typeof wordsEdit>;
export type WordsEditInput = z.input<typeof wordsEdit>;

export const WORDS_VERSIONS = ["edited", "original"] as const;
export type WordsVersion = (typeof WORDS_VERSIONS)[number];
export const wordsVersion = z.enum(WORDS_VERSIONS).default("edited").meta({
  description: "`edited`, the default: with what people have changed. `original`: the unmodified output",
});

export const wordsExportQuery = z.object({
  format: z.enum(TEXT_OUTPUT_FORMATS).meta({ description: "Output format" }),
  version: wordsVersion,
});
export type WordsExportQuery = z.infer<typeof wordsExportQuery>;

export const targetParams = z.object({ id: z.string().min(1), targetId: z.string().min(1) });
export const realignmentParams = targetParams.extend({ realignmentId: z.string().min(1) });

export const gap = z
  .object({
    text: storableText
      .max(MAX_GAP_CHARACTERS)
      .refine((text) => text.trim() !== "", "must have at least one word")
      .meta({ description: "Text between the anchors; line breaks separate lines" }),
    start: seconds.meta({ description: "Where the word before the gap ends, in seconds" }),
    end: seconds.meta({
      description: `Where the word behind the gap starts; at most ${MAX_GAP_SECONDS} seconds later`,
    }),
    language: plainText(16)
      .exactOptional()
      .meta({ description: "ISO 639-1; defaults to the language of the words" }),
  })
  .meta({ id: "Gap" });
export type Gap = z.infer<typeof gap>;

export const realignment = z
  .object({
    id,
    status: z.enum(TARGET_STATUSES),
    createdAt: dateTime,
    lines: z.array(timedLine).exactOptional().meta({ description: "Only when completed" }),
    error: z
      .object({ code: z.int(), message: z.string() })
      .exactOptional()
      .meta({ description: "Only when status is error; the codes are those of targets" }),
  })
  .meta({ id: "Realignment" });
export type Realignment = z.infer<typeof realignment>;
