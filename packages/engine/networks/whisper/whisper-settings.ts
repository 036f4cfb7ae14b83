import { readFileSync } from "node:fs";
import { z } from "zod";

/** What belongs to the weights besides the graphs. */
export type WhisperSettings = {
  /** Never written: signs for sounds and speakers, music notes, commands. */
  suppressed: readonly number[];
  /** Not written as the first token. */
  suppressedAtStart: readonly number[];
};

const fileSchema = z.object({
  suppress_tokens: z.array(z.int()),
  begin_suppress_tokens: z.array(z.int()),
});

/** Reads a `generation_config.json`. */
export function loadWhisperSettings(path: string): WhisperSettings {
  const settings = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  return {
    suppressed: settings.suppress_tokens,
    suppressedAtStart: settings.begin_suppress_tokens,
  };
}
