import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";

/** Fixed by training, at 16 kHz: blocks of 32 ms, each with the end of the previous one as context. */
export const BLOCK_FRAMES = 512;
const CONTEXT_FRAMES = 64;
const STATE_SHAPE = [2, 1, 128] as const;
const STATE_SIZE = 256;
const SAMPLE_RATE_HZ = 16000;

/** Silero VAD: the probability of speech, block by block. */
export class SileroVad {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** A stateful detector: feed it a recording's blocks in order. */
  makeScorer(): (block: Float32Array) => Promise<number> {
    const input = new Float32Array(CONTEXT_FRAMES + BLOCK_FRAMES);
    let state: Float32Array = new Float32Array(STATE_SIZE);
    return async (block) => {
      input.copyWithin(0, BLOCK_FRAMES);
      input.set(block, CONTEXT_FRAMES);
      const outputs = await this.#session.run(
        {
          input: { data: input, shape: [1, input.length] },
          state: { data: state, shape: STATE_SHAPE },
          sr: { count: SAMPLE_RATE_HZ },
        },
        ["output", "stateN"],
      );
      state = getTensor(outputs, "stateN").data;
      return getTensor(outputs, "output").data[0] ?? 0;
    };
  }
}
