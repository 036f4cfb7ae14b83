import { z } from "zod";
import { TEXT_OUTPUT_FORMATS } from "./formats.ts";
import { dateTime, id } from "./id.ts";
import { plainText, storableText } from "./plain-text.ts";
import { TARGET_STATUSES } from "./target.ts";

/** More than four hours of the fastest speech. */
export const WORDS_MAX = 50_000;
/** A body with that many words. */
export const WORDS_BODY_MAX_BYTES = 8 * 1024 * 1024;
export const GAP_MAX_SECONDS = 60;
export const STRETCH_MAX_CHARACTERS = 4000;

const seconds = z.number().min(0).max(1e6);
const speakerDescription = { description: "Who says it, where that is known" };
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
    revision: z
      .int()
      .meta({ description: "Counts the changes; what an edit names as the one it is based on" }),
    isEdited: z.boolean().meta({ description: "False where these are the words the service wrote" }),
    updatedAt: dateTime.nullable(),
    text: z.string(),
    lines: z.array(timedLine),
    metadata: z
      .looseObject({ language: z.string().exactOptional() })
      .meta({ description: "As the service wrote it: language, languageConfidence, model" }),
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
          words: z.array(editedWord).min(1).max(WORDS_MAX),
          speaker: editedSpeaker,
        }),
      )
      .max(WORDS_MAX)
      .meta({ description: `Times in order and apart; at most ${WORDS_MAX} words in all` }),
  })
  .meta({ id: "WordsEdit" });
export type WordsEdit = z.output<typeof wordsEdit>;
export type WordsEditInput = z.input<typeof wordsEdit>;

export const wordsExportQuery = z.object({
  format: z.enum(TEXT_OUTPUT_FORMATS).meta({ description: "What to write the words as" }),
});
export type WordsExportQuery = z.infer<typeof wordsExportQuery>;

export const targetParams = z.object({ id: z.string().min(1), targetId: z.string().min(1) });
export const realignmentParams = targetParams.extend({ realignmentId: z.string().min(1) });

export const gap = z
  .object({
    text: storableText
      .max(STRETCH_MAX_CHARACTERS)
      .refine((text) => text.trim() !== "", "must have at least one word")
      .meta({ description: "What is said between the anchors; line breaks part lines" }),
    start: seconds.meta({ description: "Where the word before the gap ends, in seconds" }),
    end: seconds.meta({
      description: `Where the word behind the gap starts; at most ${GAP_MAX_SECONDS} seconds later`,
    }),
    language: plainText(16)
      .exactOptional()
      .meta({ description: "ISO 639-1; the language of the words where absent" }),
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
