import { readFileSync } from "node:fs";
import { z } from "zod";

/** Which parts of the decoder look at the sound where they write. */
export type AlignmentHead = readonly [layer: number, head: number];

/** What belongs to the weights besides the graphs. */
export type WhisperSettings = {
  alignmentHeads: readonly AlignmentHead[];
  /** Never written: signs for sounds and speakers, music notes, commands. */
  suppressed: readonly number[];
  /** Not written as the first token. */
  suppressedAtStart: readonly number[];
};

const fileSchema = z.object({
  alignment_heads: z.array(z.tuple([z.int(), z.int()])),
  suppress_tokens: z.array(z.int()),
  begin_suppress_tokens: z.array(z.int()),
});

/** Reads a `generation_config.json`. */
export function loadWhisperSettings(path: string): WhisperSettings {
  const settings = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  return {
    alignmentHeads: settings.alignment_heads,
    suppressed: settings.suppress_tokens,
    suppressedAtStart: settings.begin_suppress_tokens,
  };
}
