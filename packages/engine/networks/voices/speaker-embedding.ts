import { type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import type { PowerRows } from "./voice-power.ts";

/** Our speaker embedding network: unit vectors of 192 values, similar for the same voice. */
export class SpeakerEmbedding {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  async embed({ rows, values }: PowerRows): Promise<Float32Array> {
    const shape = [1, rows, values.length / rows];
    const outputs = await this.#session.run({ power: { data: values, shape } }, ["embedding"]);
    return getTensor(outputs, "embedding").data;
  }
}
