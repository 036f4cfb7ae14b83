/** Time resolution of diarization: 20 ms. */
export const STEPS_PER_SECOND = 50;
export const NO_SPEAKER = -1;
export const MAX_VOICES = 8;

/** Who speaks in each step: the most probable speaker, how probable (0 to 1), and a second one who talks at the same time. */
export type Turns = {
  voiceCount: number;
  speakers: Int8Array;
  overlapping: Int8Array;
  confidence: Float32Array;
  /** How many voices are active, including those of speakers who are never alone and so have no number. */
  activeCount: Uint8Array;
};
