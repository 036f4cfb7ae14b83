import type { FloatTensor, GraphInput, GraphSession } from "../../runtime/graph-session.ts";
import { getTensor } from "../../runtime/graph-session.ts";

/** A part of the decoder that looks at the sound. */
export type AttentionHead = readonly [layer: number, head: number];

export type DecoderShape = { layers: number; timingHeads: readonly AttentionHead[] };

/** What the decoder answers to the tokens of one call. */
export type DecoderAnswer = {
  /** One value for each token of the vocabulary and row: how well it would follow the row's token at `position`. */
  rateNext(position: number): Promise<Float32Array[]>;
  /**
   * Where in the sound each timing head looked: one array a head, `positions` × states, each line adding up to one.
   * Empty where it was not asked for.
   */
  attentionOf(row: number): Float32Array[];
};

type Outputs = ReadonlyMap<string, FloatTensor>;

/** Every Whisper network has heads of 64. */
const HEAD_WIDTH = 64;

/**
 * Memory for what the decoder keeps of the sound, 110 MB a row for whisper-small, and for its attention to a long text: taken once
 * and used by every run.
 */
export class DecoderMemory {
  readonly #arrays = new Map<string, Float32Array>();

  get(name: string, length: number): Float32Array {
    const known = this.#arrays.get(name);
    if (known !== undefined && known.length >= length) return known.subarray(0, length);
    const array = new Float32Array(length);
    this.#arrays.set(name, array);
    return array;
  }
}

/**
 * The decoder at work on several windows at once, a row each. What it computed for earlier tokens and for the sound is kept, so
 * that each token is paid for once: every call goes on where the one before ended, and all rows go forward by equally many tokens.
 * Only the latest run of a network may be fed: runs share their memory.
 */
export class DecoderRun {
  readonly #decoder: GraphSession;
  readonly #vocabulary: GraphSession;
  readonly #shape: DecoderShape;
  readonly #states: readonly FloatTensor[];
  readonly #memory: DecoderMemory;
  readonly #caches = new Map<string, FloatTensor>();
  readonly #width: number;
  #rows: number;

  constructor(options: {
    decoder: GraphSession;
    /** The last product, from the decoder's states to a value for each token. */
    vocabulary: GraphSession;
    shape: DecoderShape;
    states: readonly FloatTensor[];
    memory: DecoderMemory;
  }) {
    this.#decoder = options.decoder;
    this.#vocabulary = options.vocabulary;
    this.#shape = options.shape;
    this.#states = options.states;
    this.#memory = options.memory;
    this.#rows = options.states.length;
    this.#width = options.states[0]?.shape[2] ?? 0;
  }

  /** The rows still at work. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Gives each row its next tokens: any number at first, equally many each, then one by one. The exported graph would let several
   * tokens on top of kept ones see those that follow them.
   */
  async feed(
    tokens: readonly (readonly number[])[],
    options: { withAttention: boolean },
  ): Promise<DecoderAnswer> {
    if (tokens.length !== this.#rows) {
      throw new RangeError(`${tokens.length} rows of tokens for ${this.#rows}`);
    }
    const heads = options.withAttention ? this.#shape.timingHeads : [];
    if (this.#caches.size === 0) return this.#makeAnswer(await this.#start(tokens, heads), heads);
    if (tokens.some((row) => row.length !== 1)) throw new RangeError("one token a row after the first call");
    const kept = this.#cacheNames("decoder");
    const outputs = await this.#decoder.run(
      this.#makeInputs(tokens, {
        data: new Float32Array(this.#rows * this.#width),
        shape: [this.#rows, 1, this.#width],
      }),
      ["logits", ...kept.map(toPresent), ...attentionNames(heads)],
    );
    for (const name of kept) this.#caches.set(name, getTensor(outputs, toPresent(name)));
    return this.#makeAnswer([outputs], heads);
  }

  /**
   * Gives a run of one row all its tokens at once, for an answer that nothing follows: nothing of it is kept. The answer holds until
   * the network is asked again.
   */
  async ask(tokens: readonly number[], options: { withAttention: boolean }): Promise<DecoderAnswer> {
    const [states] = this.#states;
    if (states === undefined || this.#rows !== 1) throw new RangeError("one row can be asked");
    const heads = options.withAttention ? this.#shape.timingHeads : [];
    const names = attentionNames(heads);
    const shape = [1, this.#width / HEAD_WIDTH, tokens.length, states.shape[1] ?? 0];
    const size = shape.reduce((product, length) => product * length);
    const into = names.map((name) => [name, { data: this.#memory.get(name, size), shape }]);
    const outputs = await this.#decoder.run(
      this.#makeInputs([tokens], states),
      ["logits", ...names],
      Object.fromEntries(into),
    );
    return this.#makeAnswer([outputs], heads);
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

  /** The first tokens, row by row, what is kept of the sound straight into its place: it would be held twice otherwise. */
  async #start(tokens: readonly (readonly number[])[], heads: readonly AttentionHead[]): Promise<Outputs[]> {
    const written = this.#cacheNames("decoder");
    const answers: Outputs[] = [];
    for (const [row, states] of this.#states.entries()) {
      const outputs = await this.#decoder.run(
        this.#makeInputs(tokens.slice(row, row + 1), states),
        ["logits", ...[...written, ...this.#cacheNames("encoder")].map(toPresent), ...attentionNames(heads)],
        this.#makeSoundRow(row, states.shape[1] ?? 0),
      );
      for (const name of written) this.#keepRow(name, row, getTensor(outputs, toPresent(name)));
      const answered = ["logits", ...attentionNames(heads)];
      answers.push(new Map(answered.map((name) => [name, getTensor(outputs, name)])));
    }
    return answers;
  }

  /** The places of a row among what is kept of the sound. */
  #makeSoundRow(row: number, states: number): Record<string, FloatTensor> {
    const shape = [this.#width / HEAD_WIDTH, states, HEAD_WIDTH];
    const size = this.#width * states;
    const places = this.#cacheNames("encoder").map((name) => {
      const data = this.#memory.get(name, this.#rows * size);
      this.#caches.set(name, { data, shape: [this.#rows, ...shape] });
      return [toPresent(name), { data: data.subarray(row * size, (row + 1) * size), shape: [1, ...shape] }];
    });
    return Object.fromEntries(places);
  }

  #keepRow(name: string, row: number, { data, shape }: FloatTensor): void {
    const cache = this.#caches.get(name)?.data ?? new Float32Array(data.length * this.#rows);
    cache.set(data, row * data.length);
    this.#caches.set(name, { data: cache, shape: [this.#rows, ...shape.slice(1)] });
  }

  #makeInputs(tokens: readonly (readonly number[])[], states: FloatTensor): Record<string, GraphInput> {
    const isFirst = states.shape[1] !== 1;
    const none = {
      data: new Float32Array(0),
      shape: [tokens.length, this.#width / HEAD_WIDTH, 0, HEAD_WIDTH],
    };
    const names = [...this.#cacheNames("decoder"), ...this.#cacheNames("encoder")];
    const caches = names.map((name) => [
      `past_key_values.${name}`,
      isFirst ? none : (this.#caches.get(name) ?? none),
    ]);
    return {
      ...Object.fromEntries(caches),
      input_ids: { ids: tokens },
      encoder_hidden_states: states,
      use_cache_branch: { flag: !isFirst },
    };
  }

  #makeAnswer(outputs: readonly Outputs[], heads: readonly AttentionHead[]): DecoderAnswer {
    const rows = this.#rows;
    return {
      rateNext: async (position) => {
        const width = this.#width;
        const states = new Float32Array(rows * width);
        for (let row = 0; row < rows; row++) {
          const { data } = rowOf(outputs, row, "logits");
          states.set(data.subarray(position * width, (position + 1) * width), row * width);
        }
        const inputs = { states: { data: states, shape: [rows, width] } };
        const { data } = getTensor(await this.#vocabulary.run(inputs, ["logits"]), "logits");
        const size = data.length / rows;
        return Array.from({ length: rows }, (_, row) => data.subarray(row * size, (row + 1) * size));
      },
      attentionOf: (row) =>
        heads.map(([layer, head]) => {
          const { data, shape } = rowOf(outputs, row, `cross_attentions.${layer}`);
          const size = data.length / (shape[0] ?? 1);
          return data.subarray(head * size, (head + 1) * size);
        }),
    };
  }

  #cacheNames(side: "decoder" | "encoder"): string[] {
    return Array.from({ length: this.#shape.layers }, (_, layer) => [
      `${layer}.${side}.key`,
      `${layer}.${side}.value`,
    ]).flat();
  }
}

function toPresent(cacheName: string): string {
  return `present.${cacheName}`;
}

function attentionNames(heads: readonly AttentionHead[]): string[] {
  return [...new Set(heads.map(([layer]) => `cross_attentions.${layer}`))];
}

/** The part of a tensor that belongs to a row; there is one tensor for all rows, or one for each. */
function rowOf(outputs: readonly Outputs[], row: number, name: string): FloatTensor {
  const { data, shape } = getTensor(outputs[outputs.length === 1 ? 0 : row] ?? new Map(), name);
  const size = data.length / (shape[0] ?? 1);
  const at = outputs.length === 1 ? row : 0;
  return { data: data.subarray(at * size, (at + 1) * size), shape: shape.slice(1) };
}
