import { createHash } from "node:crypto";
import type { HearingWishes, TextTarget } from "../targets/engine-request.ts";

export type HearingOfTargets = { wishes: HearingWishes; targets: TextTarget[] };

function toWishes({ language, isTranslated, prompt, keywords }: HearingWishes): HearingWishes {
  return {
    ...(language === undefined ? {} : { language }),
    ...(isTranslated ? { isTranslated } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(keywords === undefined || keywords.length === 0 ? {} : { keywords }),
  };
}

/** A file name for the options: just the language if nothing else is set. */
export function toHearingKey(given: HearingWishes): string {
  const { language = "auto", ...others } = toWishes(given);
  if (Object.keys(others).length === 0) return language;
  return `${language}-${createHash("sha256").update(JSON.stringify(others)).digest("hex").slice(0, 16)}`;
}

/** The transcriptions to make, in order, and the targets that use each. */
export function listHearings(targets: readonly TextTarget[]): HearingOfTargets[] {
  const hearings = new Map<string, HearingOfTargets>();
  for (const target of targets) {
    const wishes = toWishes(target);
    const key = toHearingKey(wishes);
    const hearing = hearings.get(key) ?? { wishes, targets: [] };
    hearing.targets.push(target);
    hearings.set(key, hearing);
  }
  return [...hearings.values()];
}
