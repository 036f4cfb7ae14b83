import type { FloatTensor, GraphInput, GraphSession } from "../../runtime/graph-session.ts";
import { getTensor } from "../../runtime/graph-session.ts";
import type { AlignmentHead } from "./whisper-settings.ts";

export type DecoderShape = { layers: number; alignmentHeads: readonly AlignmentHead[] };

/** What the decoder answers to the tokens of one call. */
export type DecoderAnswer = {
  /** One value for each token of the vocabulary: how well it would follow the row's token at `position`. */
  logitsAt(row: number, position: number): Float32Array;
  /**
   * Where in the sound each alignment head looked: one array a head, `positions` × 1500 states, each line adding up to one.
   * Empty where it was not asked for.
   */
  attentionOf(row: number): Float32Array[];
};

/**
 * The decoder at work on several windows at once, a row each. What it computed for earlier tokens and for the sound is kept, so
 * that each token is paid for once: every call goes on where the one before ended, and all rows go forward by equally many tokens.
 */
export class DecoderRun {
  readonly #session: GraphSession;
  readonly #shape: DecoderShape;
  readonly #caches = new Map<string, FloatTensor>();
  readonly #width: number;
  #states: readonly FloatTensor[];
  #rows: number;

  constructor(session: GraphSession, shape: DecoderShape, states: readonly FloatTensor[]) {
    this.#session = session;
    this.#shape = shape;
    this.#states = states;
    this.#rows = states.length;
    this.#width = states[0]?.shape[2] ?? 0;
  }

  /** The rows still at work. */
  get rows(): number {
    return this.#rows;
  }

  /** Gives each row its next tokens, equally many each. */
  async feed(
    tokens: readonly (readonly number[])[],
    options: { withAttention: boolean },
  ): Promise<DecoderAnswer> {
    if (tokens.length !== this.#rows)
      throw new RangeError(`${tokens.length} rows of tokens for ${this.#rows}`);
    const isFirst = this.#caches.size === 0;
    const layers = Array.from({ length: this.#shape.layers }, (_, layer) => layer);
    const heads = options.withAttention ? this.#shape.alignmentHeads : [];
    const attentionNames = [...new Set(heads.map(([layer]) => `cross_attentions.${layer}`))];
    const kept = layers.flatMap((layer) => cacheNames(layer, isFirst ? ["decoder", "encoder"] : ["decoder"]));
    const inputs: Record<string, GraphInput> = {
      input_ids: { ids: tokens },
      encoder_hidden_states: this.#statesInput(),
      use_cache_branch: { flag: !isFirst },
    };
    for (const name of layers.flatMap((layer) => cacheNames(layer, ["decoder", "encoder"]))) {
      inputs[`past_key_values.${name}`] = this.#caches.get(name) ?? this.#noCache();
    }
    const outputs = await this.#session.run(inputs, [
      "logits",
      ...kept.map((name) => `present.${name}`),
      ...attentionNames,
    ]);
    for (const name of kept) this.#caches.set(name, getTensor(outputs, `present.${name}`));
    this.#states = [];
    return makeAnswer(outputs, heads);
  }

  /** Takes a finished row out; the last row takes its place. */
  dropRow(row: number): void {
    if (row < 0 || row >= this.#rows) throw new RangeError(`no row ${row}`);
    if (this.#caches.size === 0) throw new Error("a row can be dropped after the first tokens");
    const last = this.#rows - 1;
    for (const [name, { data, shape }] of this.#caches) {
      const size = data.length / this.#rows;
      if (row !== last) data.copyWithin(row * size, last * size, (last + 1) * size);
      this.#caches.set(name, { data: data.subarray(0, last * size), shape: [last, ...shape.slice(1)] });
    }
    this.#rows = last;
  }

  /** The sound's states are read by the first call only; later ones find them in the caches and get a token's worth of nothing. */
  #statesInput(): FloatTensor {
    const rows = this.#rows;
    if (this.#states.length === 0) {
      return { data: new Float32Array(rows * this.#width), shape: [rows, 1, this.#width] };
    }
    const size = this.#states[0]?.data.length ?? 0;
    const data = new Float32Array(rows * size);
    this.#states.forEach((states, row) => {
      data.set(states.data, row * size);
    });
    return { data, shape: [rows, size / this.#width, this.#width] };
  }

  #noCache(): FloatTensor {
    return { data: new Float32Array(0), shape: [this.#rows, this.#width / HEAD_WIDTH, 0, HEAD_WIDTH] };
  }
}

/** Every Whisper network has heads of 64. */
const HEAD_WIDTH = 64;

function cacheNames(layer: number, sides: readonly ("decoder" | "encoder")[]): string[] {
  return sides.flatMap((side) => [`${layer}.${side}.key`, `${layer}.${side}.value`]);
}

function makeAnswer(
  outputs: ReadonlyMap<string, FloatTensor>,
  heads: readonly AlignmentHead[],
): DecoderAnswer {
  const logits = getTensor(outputs, "logits");
  const [, positions = 0, vocabulary = 0] = logits.shape;
  return {
    logitsAt(row, position) {
      const start = (row * positions + position) * vocabulary;
      return logits.data.subarray(start, start + vocabulary);
    },
    attentionOf(row) {
      return heads.map(([layer, head]) => {
        const { data, shape } = getTensor(outputs, `cross_attentions.${layer}`);
        const [, headCount = 0, , states = 0] = shape;
        const size = positions * states;
        const start = (row * headCount + head) * size;
        return data.subarray(start, start + size);
      });
    },
  };
}
