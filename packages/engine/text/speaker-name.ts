import type { CueLimits } from "./split-rows.ts";

export type TextOptions = Partial<CueLimits> & {
  /** Put the speaker's name before what they say. */
  hasNames?: boolean;
  /** Of the speakers, from the first one on; defaults to `Speaker 1` and so on. */
  names?: readonly string[];
};

/** Undefined unless names were requested and the speaker is known. */
export function findSpeakerName(speaker: number | undefined, { hasNames, names }: TextOptions) {
  if (!hasNames || speaker === undefined) return undefined;
  return names?.[speaker - 1] ?? `Speaker ${speaker}`;
}
