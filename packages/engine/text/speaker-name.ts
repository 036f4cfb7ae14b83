import type { CueLimits } from "./split-rows.ts";

export type TextOptions = Partial<CueLimits> & {
  /** Put the speaker's name before what they say. */
  hasNames?: boolean;
};

export const toSpeakerName = (speaker: number) => `Speaker ${speaker}`;
