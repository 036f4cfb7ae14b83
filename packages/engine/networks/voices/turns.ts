/** Speakers are decided every 20 ms. */
export const STEPS_PER_SECOND = 50;
/** Nobody. */
export const NOBODY = -1;
export const VOICES_MAX = 8;

/** Who speaks in each step: the one who is heard most surely and how sure that is, 0 to 1, and another one who talks at the same time. */
export type Turns = {
  voiceCount: number;
  people: Int8Array;
  beside: Int8Array;
  confidence: Float32Array;
};
