import type { CueLimits } from "./split-rows.ts";

/** How a text is written. */
export type TextOptions = Partial<CueLimits> & {
  /** With the speaker's name before what they say. */
  hasNames?: boolean;
};

export const toSpeakerName = (speaker: number) => `Speaker ${speaker}`;
