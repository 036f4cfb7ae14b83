import { z } from "zod";

const spokenWindowSchema = z.object({
  language: z.string(),
  /** How probable the languages were, the likeliest few. */
  heard: z.array(z.tuple([z.string(), z.number()])),
  speechSeconds: z.number(),
  words: z.array(
    z.object({
      text: z.string(),
      startSeconds: z.number(),
      endSeconds: z.number(),
      confidence: z.number(),
    }),
  ),
});

/** What was heard in a window, or the part of one that is in one language; times are those of the recording. */
export type SpokenWindow = z.infer<typeof spokenWindowSchema>;

/** The parts of a window, one as a rule. */
export const windowPartsSchema = z.array(spokenWindowSchema).min(1);
