import { type FloatTensor, type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import { KEPT_PARTS } from "./graph/decoder-graphs.ts";
import { HEAD_WIDTH } from "./graph/layers.ts";
import type { TokenEmbedding } from "./graph/token-embedding.ts";

/** The decoder's context of 448 tokens, minus its four command tokens. */
export const MAX_TEXT_TOKENS = 440;

/** The decoder's loaded graphs (`graph/decoder-graphs.ts`). */
export type Decoder = {
  sound: GraphSession;
  lower: GraphSession;
  upper: GraphSession;
  embedding: TokenEmbedding;
  layers: number;
  /** How many of the layers are in the lower graph. */
  lowerLayers: number;
  /** Attention heads that follow the current letter in the audio. */
  timingHeads: number;
};

/** The decoder's output for the tokens of one call. */
export type DecoderAnswer = {
  /** Each row's logits for the token after `position`. */
  rateNext(position: number): Float32Array[];
};

/**
 * Buffers for the cross-attention cache, 110 MB a row for whisper-small, and for the attention of a long text. Allocated once and shared by
 * all runs.
 */
export class DecoderMemory {
  readonly #arrays = new Map<string, Float32Array>();
  /** The windows that are cached, by row. */
  #windows: FloatTensor[] = [];

  /** A buffer of at least this length. */
  get(name: string, length: number): Float32Array {
    const known = this.#arrays.get(name);
    if (known !== undefined && known.length >= length) return known;
    const array = new Float32Array(length);
    this.#arrays.set(name, array);
    return array;
  }

  /** The first row of these windows if they are cached in consecutive rows, else −1. */
  findRow(windows: readonly FloatTensor[]): number {
    return this.#windows.findIndex((_, row) =>
      windows.every((window, n) => this.#windows[row + n] === window),
    );
  }

  setWindows(windows: readonly FloatTensor[]): void {
    this.#windows = [...windows];
  }
}

/**
 * The decoder over several windows in one batch, a row each. Keys and values of earlier tokens and of the sound are cached, so each token
 * is computed once: every call continues after the previous one, and all rows advance by the same number of tokens.
 * Only the latest run of a network may be fed: runs share their memory.
 */
export class DecoderRun {
  readonly #decoder: Decoder;
  readonly #states: readonly FloatTensor[];
  readonly #memory: DecoderMemory;
  /** Caches of the audio and of earlier tokens, by input name; one row per window. */
  readonly #kept = new Map<string, FloatTensor>();
  #rows: number;
  #position = 0;

  constructor(options: { decoder: Decoder; states: readonly FloatTensor[]; memory: DecoderMemory }) {
    this.#decoder = options.decoder;
    this.#states = options.states;
    this.#memory = options.memory;
    this.#rows = options.states.length;
  }

  /** Unfinished rows. */
  get rows(): number {
    return this.#rows;
  }

  /** Feeds each row its next tokens, the same number for all. */
  async feed(tokens: readonly (readonly number[])[]): Promise<DecoderAnswer> {
    const { lower, upper, layers, lowerLayers } = this.#decoder;
    const embedded = await this.#start(tokens);
    const middle = await lower.run({ embedded, ...this.#listInputs(0, lowerLayers) }, [
      "states",
      ...listPresent(0, lowerLayers),
    ]);
    const outputs = await upper.run(
      { states: getTensor(middle, "states"), ...this.#listInputs(lowerLayers, layers) },
      ["logits", ...listPresent(lowerLayers, layers)],
    );
    this.#position += embedded.shape[1] ?? 0;
    for (const name of listPresent(0, layers)) {
      const present = middle.get(name) ?? getTensor(outputs, name);
      this.#kept.set(name.replace("present", "past"), present);
    }
    const { data, shape } = getTensor(outputs, "logits");
    const [rows = 0, positions = 0, size = 0] = shape;
    return {
      rateNext: (position) =>
        Array.from({ length: rows }, (_, row) => {
          const start = (row * positions + position) * size;
          return data.subarray(start, start + size);
        }),
    };
  }

  /**
   * Feeds a whole text to a run of one row and returns the attention of each timing head: tokens × states, each row summing to one. Valid until
   * the network runs again.
   */
  async attend(tokens: readonly number[]): Promise<Float32Array[]> {
    const { lower, lowerLayers, timingHeads } = this.#decoder;
    const embedded = await this.#start([tokens]);
    const shape = [1, timingHeads, tokens.length, this.#states[0]?.shape[1] ?? 0];
    const size = shape.reduce((product, length) => product * length);
    const into = { data: this.#memory.get("attention", size).subarray(0, size), shape };
    await lower.run({ embedded, ...this.#listInputs(0, lowerLayers) }, ["attention"], { attention: into });
    const headSize = size / timingHeads;
    return Array.from({ length: timingHeads }, (_, head) =>
      into.data.subarray(head * headSize, (head + 1) * headSize),
    );
  }

  /** Removes a finished row; later rows move up. */
  dropRow(row: number): void {
    if (row < 0 || row >= this.#rows) throw new RangeError(`no row ${row}`);
    if (this.#position === 0) throw new Error("a row can be dropped after the first tokens");
    const isMoving = row > 0 && row < this.#rows - 1;
    if (isMoving) this.#memory.setWindows([]);
    for (const [name, { data, shape }] of this.#kept) {
      const size = data.length / this.#rows;
      if (isMoving) data.copyWithin(row * size, (row + 1) * size);
      const left = row === 0 ? data.subarray(size) : data.subarray(0, data.length - size);
      this.#kept.set(name, { data: left, shape: [this.#rows - 1, ...shape.slice(1)] });
    }
    this.#rows -= 1;
  }

  /** The graphs' inputs for the tokens. The first call also fills the cross-attention cache. */
  async #start(tokens: readonly (readonly number[])[]): Promise<FloatTensor> {
    if (tokens.length !== this.#rows) {
      throw new RangeError(`${tokens.length} rows of tokens for ${this.#rows}`);
    }
    if (this.#position === 0) await this.#readAudio();
    return this.#decoder.embedding.embed(tokens, this.#position);
  }

  /** The cross-attention cache: reused from an earlier run, or computed. */
  async #readAudio(): Promise<void> {
    const { layers, embedding } = this.#decoder;
    const heads = embedding.width / HEAD_WIDTH;
    const none = { data: new Float32Array(0), shape: [this.#rows, heads, 0, HEAD_WIDTH] };
    for (const name of listKept("past", 0, layers)) this.#kept.set(name, none);
    let firstRow = this.#memory.findRow(this.#states);
    if (firstRow < 0) {
      firstRow = 0;
      this.#memory.setWindows([]);
      for (const row of this.#states.keys()) await this.#computeRow(row);
      this.#memory.setWindows(this.#states);
    }
    for (const name of listKept("sound", 0, layers))
      this.#kept.set(name, this.#locate(name, firstRow, this.#rows));
  }

  /** Writes into the shared buffer directly, so that it is not in memory twice. */
  async #computeRow(row: number): Promise<void> {
    const { sound, layers } = this.#decoder;
    const states = this.#states[row];
    if (states === undefined) throw new RangeError(`no row ${row}`);
    const names = listKept("sound", 0, layers);
    const places = names.map((name) => [name, this.#locate(name, row, 1)]);
    await sound.run({ states }, names, Object.fromEntries(places));
  }

  /** Views of the shared buffers for some rows. */
  #locate(name: string, firstRow: number, rows: number): FloatTensor {
    const { width } = this.#decoder.embedding;
    const count = this.#states[0]?.shape[1] ?? 0;
    const heads = width / HEAD_WIDTH;
    const shape = name.endsWith("key") ? [heads, HEAD_WIDTH, count] : [heads, count, HEAD_WIDTH];
    const size = width * count;
    const data = this.#memory.get(name, Math.max(this.#states.length, firstRow + rows) * size);
    return { data: data.subarray(firstRow * size, (firstRow + rows) * size), shape: [rows, ...shape] };
  }

  #listInputs(from: number, to: number): Record<string, FloatTensor> {
    const names = [...listKept("past", from, to), ...listKept("sound", from, to)];
    return Object.fromEntries(names.map((name) => [name, getTensor(this.#kept, name)]));
  }
}

function listPresent(from: number, to: number): string[] {
  return listKept("present", from, to);
}

function listKept(kind: "past" | "present" | "sound", from: number, to: number): string[] {
  const layers = Array.from({ length: to - from }, (_, n) => from + n);
  return layers.flatMap((layer) => KEPT_PARTS.map((part) => `${kind}.${layer}.${part}`));
}
