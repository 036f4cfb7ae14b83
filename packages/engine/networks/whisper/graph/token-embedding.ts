import type { FloatTensor } from "../../../runtime/graph-session.ts";
import type { QuantizedWeight, WhisperWeights } from "./whisper-weights.ts";

/** The decoder's input: the sum of token and position embeddings. */
export class TokenEmbedding {
  readonly width: number;
  readonly #tokens: QuantizedWeight;
  readonly #positions: Float32Array;

  constructor(weights: WhisperWeights) {
    const tokens = weights.quantized("embed_tokens.weight");
    this.width = tokens.dims[1] ?? 0;
    // Copied: the weights are views of the file, which then need not stay in memory.
    this.#tokens = { ...tokens, data: Uint8Array.from(tokens.data) };
    this.#positions = weights.floats("embed_positions.weight").data;
  }

  /** Rows of equal length, starting at `position`. */
  embed(rows: readonly (readonly number[])[], position: number): FloatTensor {
    const { width } = this;
    const length = rows[0]?.length ?? 0;
    const { data, scale, zeroPoint } = this.#tokens;
    const embedded = new Float32Array(rows.length * length * width);
    for (const [at, token] of rows.flat().entries()) {
      const place = (position + (at % length)) * width;
      for (let n = 0; n < width; n++) {
        const value = ((data[token * width + n] ?? 0) - zeroPoint) * scale;
        embedded[at * width + n] = value + (this.#positions[place + n] ?? 0);
      }
    }
    return { data: embedded, shape: [rows.length, length, width] };
  }
}
