/** Taps that one turn of the inner loop handles: two vectors of four. Rows are padded with zeros to a multiple of this. */
const TAPS_PER_TURN = 8;
/** Output frames per call; the audio for a call is copied into the convolver's memory. */
const PIECE_FRAMES = 4096;
const PAGE_BYTES = 65_536;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

export type Convolve = (
  input: number,
  rows: number,
  output: number,
  outputEnd: number,
  rowBytes: number,
  phases: number,
  step: number,
  phase: number,
) => void;

type Work = {
  /** From that of the first frame's first tap on. */
  samples: Float32Array;
  /** Of the first frame. */
  phase: number;
  /** One number for each frame. */
  plane: Float32Array;
};

/**
 * Convolves with a row of coefficients for each phase, in SIMD: several times as fast as JavaScript. Taps are always added up in the same order, so any
 * chunking returns the same samples, on any machine.
 */
export class PolyphaseConvolver {
  /** From one phase's coefficients to the next one's. */
  readonly rowLength: number;
  /** Rows of zeros until they are set. */
  readonly coefficients: Float32Array;
  readonly #phases: number;
  readonly #step: number;
  readonly #input: Float32Array;
  readonly #output: Float32Array;
  readonly #convolve: Convolve;

  constructor({ phases, step, taps }: { phases: number; step: number; taps: number }) {
    this.rowLength = Math.ceil(taps / TAPS_PER_TURN) * TAPS_PER_TURN;
    this.#phases = phases;
    this.#step = step;
    const inputLength = Math.ceil((PIECE_FRAMES * step) / phases) + 1 + this.rowLength;
    const floats = phases * this.rowLength + inputLength + PIECE_FRAMES;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((floats * FLOAT_BYTES) / PAGE_BYTES) });
    let offset = 0;
    const take = (length: number) => {
      const view = new Float32Array(memory.buffer, offset, length);
      offset += view.byteLength;
      return view;
    };
    this.coefficients = take(phases * this.rowLength);
    this.#input = take(inputLength);
    this.#output = take(PIECE_FRAMES);
    this.#convolve = new WebAssembly.Instance(CONVOLUTION, { env: { memory } }).exports.convolve;
  }

  run({ samples, phase, plane }: Work): void {
    for (let start = 0; start < plane.length; start += PIECE_FRAMES) {
      const frames = Math.min(PIECE_FRAMES, plane.length - start);
      const position = phase + start * this.#step;
      const from = Math.floor(position / this.#phases);
      const piece = samples.subarray(from, from + this.#input.length);
      this.#input.set(piece);
      // Only a row's padding can reach further, and nothing that was there before may spoil its zeros.
      this.#input.fill(0, piece.length);
      this.#convolve(
        this.#input.byteOffset,
        this.coefficients.byteOffset,
        this.#output.byteOffset,
        this.#output.byteOffset + frames * FLOAT_BYTES,
        this.rowLength * FLOAT_BYTES,
        this.#phases,
        this.#step,
        position % this.#phases,
      );
      plane.set(this.#output.subarray(0, frames), start);
    }
  }
}

/** Instructions of WebAssembly (webassembly.github.io/spec, "Binary Format"). */
const I32 = 0x7f;
const V128 = 0x7b;
const LOOP = [0x03, 0x40];
const END = [0x0b];
const BRANCH_IF = [0x0d, 0];
const I32_LESS = [0x49];
const I32_ADD = [0x6a];
const I32_MULTIPLY = [0x6c];
const I32_DIVIDE = [0x6e];
const I32_REMAINDER = [0x70];
const F32_ADD = [0x92];
const F32_STORE = [0x38, 2, 0];
const F32X4_ADD = [0xfd, 0xe4, 0x01];
const F32X4_MULTIPLY = [0xfd, 0xe6, 0x01];
const F32X4_ZERO = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
/** Below 64. */
const number = (value: number) => [0x41, value];
const loadVector = (offset: number) => [0xfd, 0x00, 2, offset];
const lane = (index: number) => [0xfd, 0x1f, index];

/** With its length in two bytes of seven bits. */
const sized = (bytes: number[]) => [(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes];
const section = (id: number, bytes: number[]) => [id, ...sized(bytes)];
const name = (text: string) => [text.length, ...Buffer.from(text)];

/** Parameters of `Convolve`, then what the loops use. */
const LOCAL = {
  ...{ input: 0, rows: 1, output: 2, outputEnd: 3, rowBytes: 4, phases: 5, step: 6, phase: 7 },
  ...{ sample: 8, tap: 9, rowEnd: 10 },
  ...{ even: 11, odd: 12 },
};

const addProducts = (sum: number, offset: number) => [
  ...get(sum),
  ...[...get(LOCAL.sample), ...loadVector(offset)],
  ...[...get(LOCAL.tap), ...loadVector(offset)],
  ...[...F32X4_MULTIPLY, ...F32X4_ADD],
  ...set(sum),
];
const increase = (local: number, bytes: number) => [
  ...get(local),
  ...number(bytes),
  ...I32_ADD,
  ...set(local),
];

const BODY = [
  ...LOOP,
  ...[
    ...get(LOCAL.rows),
    ...get(LOCAL.phase),
    ...get(LOCAL.rowBytes),
    ...I32_MULTIPLY,
    ...I32_ADD,
    ...set(LOCAL.tap),
  ],
  ...[...get(LOCAL.tap), ...get(LOCAL.rowBytes), ...I32_ADD, ...set(LOCAL.rowEnd)],
  ...[...get(LOCAL.input), ...set(LOCAL.sample)],
  ...[...F32X4_ZERO, ...set(LOCAL.even), ...F32X4_ZERO, ...set(LOCAL.odd)],
  ...LOOP,
  ...[...addProducts(LOCAL.even, 0), ...addProducts(LOCAL.odd, 16)],
  ...[...increase(LOCAL.sample, 32), ...increase(LOCAL.tap, 32)],
  ...[...get(LOCAL.tap), ...get(LOCAL.rowEnd), ...I32_LESS, ...BRANCH_IF],
  ...END,
  ...[...get(LOCAL.even), ...get(LOCAL.odd), ...F32X4_ADD, ...set(LOCAL.even)],
  ...get(LOCAL.output),
  ...[...get(LOCAL.even), ...lane(0), ...get(LOCAL.even), ...lane(1), ...F32_ADD],
  ...[...get(LOCAL.even), ...lane(2), ...get(LOCAL.even), ...lane(3), ...F32_ADD],
  ...[...F32_ADD, ...F32_STORE],
  ...increase(LOCAL.output, 4),
  // The next frame's phase, and the sample it starts at.
  ...[...get(LOCAL.phase), ...get(LOCAL.step), ...I32_ADD, ...set(LOCAL.phase)],
  ...[...get(LOCAL.phase), ...get(LOCAL.phases), ...I32_DIVIDE, ...number(4), ...I32_MULTIPLY],
  ...[...get(LOCAL.input), ...I32_ADD, ...set(LOCAL.input)],
  ...[...get(LOCAL.phase), ...get(LOCAL.phases), ...I32_REMAINDER, ...set(LOCAL.phase)],
  ...[...get(LOCAL.output), ...get(LOCAL.outputEnd), ...I32_LESS, ...BRANCH_IF],
  ...END,
  ...END,
];

const CONVOLUTION = new WebAssembly.Module(
  Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 8, ...new Array<number>(8).fill(I32), 0]),
    ...section(2, [1, ...name("env"), ...name("memory"), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("convolve"), 0x00, 0]),
    ...section(10, [1, ...sized([2, 3, I32, 2, V128, ...BODY])]),
  ]),
);
