import { createHash } from "node:crypto";
import type { TextTarget, TranscriptionOptions } from "../targets/engine-request.ts";

export type TranscriptionGroup = { options: TranscriptionOptions; targets: TextTarget[] };

function pickOptions({ language, translate, prompt, keywords }: TranscriptionOptions): TranscriptionOptions {
  return {
    ...(language === undefined ? {} : { language }),
    ...(translate ? { translate } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(keywords === undefined || keywords.length === 0 ? {} : { keywords }),
  };
}

/** A file name for the options: just the language if nothing else is set. */
export function toTranscriptionKey(given: TranscriptionOptions): string {
  const { language = "auto", ...others } = pickOptions(given);
  if (Object.keys(others).length === 0) return language;
  return `${language}-${createHash("sha256").update(JSON.stringify(others)).digest("hex").slice(0, 16)}`;
}

/** The transcriptions to make, in order, and the targets that use each. */
export function groupTranscriptions(targets: readonly TextTarget[]): TranscriptionGroup[] {
  const groups = new Map<string, TranscriptionGroup>();
  for (const target of targets) {
    const options = pickOptions(target);
    const key = toTranscriptionKey(options);
    const context = groups.get(key) ?? { options, targets: [] };
    context.targets.push(target);
    groups.set(key, context);
  }
  return [...groups.values()];
}
