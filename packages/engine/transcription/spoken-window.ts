import { z } from "zod";

const spokenWindowSchema = z.object({
  language: z.string(),
  /** The few most probable languages. */
  languages: z.array(z.tuple([z.string(), z.number()])),
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

/** The transcript of a window, or of the part of one in a single language; times are relative to the recording. */
export type SpokenWindow = z.infer<typeof spokenWindowSchema>;

/** The parts of a window; usually one. */
export const windowPartsSchema = z.array(spokenWindowSchema).min(1);
