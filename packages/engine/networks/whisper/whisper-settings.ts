import { readFileSync } from "node:fs";
import { z } from "zod";

/** Settings that ship with the weights. */
export type WhisperSettings = {
  /** Tokens that are never written: sound and speaker labels, music notes, commands. */
  suppressed: readonly number[];
  /** Tokens that may not come first. */
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
