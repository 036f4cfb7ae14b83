import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import type { HeardPower } from "./voice-power.ts";

/** Of the trained network: see weights/voices-turns/README.md, "How to run it". */
export const PLACES = 3;
/** 10 s: what it was trained on. */
export const WINDOW_STEPS = 500;

/** Our network that tells which of up to three voices are heard, every 20 ms of a window. Which place has whom is open, and differs from window to window. */
export class SpeakerTurns {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** For each step the probability that the voice of each place is heard. */
  async listen({ rows, values }: HeardPower): Promise<Float32Array> {
    const shape = [1, rows, values.length / rows];
    const outputs = await this.#session.run({ power: { data: values, shape } }, ["turns"]);
    return getTensor(outputs, "turns").data;
  }
}
