import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import type { HeardPower } from "./voice-power.ts";

/** Our network that tells who speaks, as 192 numbers of length 1 that are near for one voice and far for two. */
export class SpeakerEmbedding {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  async embed({ rows, values }: HeardPower): Promise<Float32Array> {
    const shape = [1, rows, values.length / rows];
    const outputs = await this.#session.run({ power: { data: values, shape } }, ["embedding"]);
    return getTensor(outputs, "embedding").data;
  }
}
