import { type FloatTensor, type GraphSession, getTensor } from "../../runtime/graph-session.ts";
import { KEPT_PARTS } from "./graph/decoder-graphs.ts";
import { HEAD_WIDTH } from "./graph/layers.ts";
import type { TokenEmbedding } from "./graph/token-embedding.ts";

/** Of the 448 places a text has in the decoder, four are taken by its commands; the others are all for the text. */
export const TEXT_TOKENS_MAX = 440;

/** The decoder's graphs as loaded (`graph/decoder-graphs.ts`). */
export type Decoder = {
  sound: GraphSession;
  lower: GraphSession;
  upper: GraphSession;
  embedding: TokenEmbedding;
  layers: number;
  /** How many of them the lower graph has. */
  lowerLayers: number;
  /** Heads that tell where in the sound a token is. */
  timingHeads: number;
};

/** What the decoder answers to the tokens of one call. */
export type DecoderAnswer = {
  /** One value for each token of the vocabulary and row: how well it would follow the row's token at `position`. */
  rateNext(position: number): Float32Array[];
};

/**
 * Memory for what the decoder keeps of the sound, 110 MB a row for whisper-small, and for its attention to a long text: taken once
 * and used by every run.
 */
export class DecoderMemory {
  readonly #arrays = new Map<string, Float32Array>();
  /** The windows whose sound is in it, by their rows. */
  #windows: FloatTensor[] = [];

  /** Of at least this length. */
  get(name: string, length: number): Float32Array {
    const known = this.#arrays.get(name);
    if (known !== undefined && known.length >= length) return known;
    const array = new Float32Array(length);
    this.#arrays.set(name, array);
    return array;
  }

  /** The row from which on these windows are in it, one behind the other; -1 where they are not. */
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
  /** Of the sound and of the tokens so far, by the name of the graphs' inputs; a row is a window's. */
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

  /** Gives each row its next tokens, equally many each. */
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
   * Where in the sound each timing head looks for each of a text's tokens, given all at once to a run of one row: an array a head,
   * tokens × states, each line adding up to one. It holds until the network is asked again.
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

  /** Takes a finished row out; those behind it move up. */
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

  /** The tokens as the graphs take them; before the first ones, what is kept of the sound is computed. */
  async #start(tokens: readonly (readonly number[])[]): Promise<FloatTensor> {
    if (tokens.length !== this.#rows) {
      throw new RangeError(`${tokens.length} rows of tokens for ${this.#rows}`);
    }
    if (this.#position === 0) await this.#hear();
    return this.#decoder.embedding.embed(tokens, this.#position);
  }

  /** What is kept of the sound: from the memory, where an earlier run left it, or computed. */
  async #hear(): Promise<void> {
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

  /** Straight into its place: it would be held twice otherwise. */
  async #computeRow(row: number): Promise<void> {
    const { sound, layers } = this.#decoder;
    const states = this.#states[row];
    if (states === undefined) throw new RangeError(`no row ${row}`);
    const names = listKept("sound", 0, layers);
    const places = names.map((name) => [name, this.#locate(name, row, 1)]);
    await sound.run({ states }, names, Object.fromEntries(places));
  }

  /** Where the memory has what is kept of the sound in some rows. */
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
