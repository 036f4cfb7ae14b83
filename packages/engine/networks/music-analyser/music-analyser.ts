import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import {
  MusicFeatureReader,
  type MusicFeatures,
  SLOT_BANDS,
  SLOTS_PER_STEP,
  STEP_BANDS,
  type StepRange,
} from "./music-features.ts";

/** Outputs of a slot: beat, downbeat, then metres. */
export const PULSE_OUTPUTS = 10;
/** Outputs of a step, in this order. */
export const HARMONY_OUTPUTS = { chords: 25, qualities: 9, basses: 13, keys: 24 } as const;
export const HARMONY_WIDTH = 71;

/** Logits of slots (`PULSE_OUTPUTS`) and of steps (`HARMONY_WIDTH`), and what they were inferred from. */
export type MusicScores = { pulses: Float32Array; harmony: Float32Array; features: MusicFeatures };

/** Our music analyser: beats, metre, chords and keys. It attends to the whole range, and was trained on 30 s. */
export class MusicAnalyser {
  readonly #session: GraphSession;
  readonly #features = new MusicFeatureReader();

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** `recording` is mono at `ANALYSIS_RATE_HZ`. */
  async infer(recording: FrameSource, range: StepRange): Promise<MusicScores> {
    const features = this.#features.read(recording, range);
    const { stepCount } = range;
    const inputs = {
      beats: { data: features.slots, shape: [1, stepCount * SLOTS_PER_STEP, SLOT_BANDS] },
      chords: { data: features.steps, shape: [1, stepCount, STEP_BANDS] },
    };
    const outputs = await this.#session.run(inputs, ["pulses", "harmony"]);
    return {
      pulses: getTensor(outputs, "pulses").data,
      harmony: getTensor(outputs, "harmony").data,
      features,
    };
  }
}
