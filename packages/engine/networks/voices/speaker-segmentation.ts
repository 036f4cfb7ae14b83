import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import type { PowerRows } from "./voice-power.ts";

/** Fixed by training: see weights/voices-turns/README.md, "How to run it". */
export const LOCAL_SPEAKERS = 4;
/** 10 s, as in training. */
export const WINDOW_STEPS = 500;

/**
 * Our diarization network: which of up to four voices are active, every 20 ms of a window. The order of local speakers is arbitrary and differs
 * between windows.
 */
export class SpeakerSegmentation {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** The probability of each local speaker in each step. */
  async infer({ rows, values }: PowerRows): Promise<Float32Array> {
    const shape = [1, rows, values.length / rows];
    const outputs = await this.#session.run({ power: { data: values, shape } }, ["turns"]);
    return getTensor(outputs, "turns").data;
  }
}
