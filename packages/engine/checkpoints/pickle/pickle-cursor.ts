import type { ByteSource } from "../byte-source.ts";
import { CheckpointError, makeDamagedError } from "../checkpoint-error.ts";

const WINDOW_BYTES = 1 << 16;
/** Of structure, without the numbers: that of a 53-stem network with its optimizer has 2 MB. */
const MAX_BYTES = 64 * 1024 ** 2;

/** Reads on from a position; old files have several pickles in a row, whose length nobody stored. */
export class PickleCursor {
  readonly #source: ByteSource;
  #window: Uint8Array<ArrayBuffer> = new Uint8Array();
  #windowStart = 0;
  at = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  byte(): number {
    const byte = this.#window[this.at - this.#windowStart] ?? this.#load();
    this.at += 1;
    return byte;
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#checkLength(length);
    const bytes = this.#source.read(this.at, length);
    this.at += length;
    return bytes;
  }

  view(length: number): DataView {
    const bytes = new Uint8Array(length);
    for (let n = 0; n < length; n++) bytes[n] = this.byte();
    return new DataView(bytes.buffer);
  }

  /** Up to a line feed, as protocol 0 has its texts. */
  line(): string {
    const codes: number[] = [];
    for (let code = this.byte(); code !== 0x0a; code = this.byte()) codes.push(code);
    return new TextDecoder().decode(Uint8Array.from(codes));
  }

  /** The byte at the position, and a window behind it. */
  #load(): number {
    const left = this.#source.sizeBytes - this.at;
    if (left <= 0) throw makeDamagedError("it ends inside its list of tensors");
    this.#checkLength(0);
    this.#windowStart = this.at;
    this.#window = this.#source.read(this.at, Math.min(left, WINDOW_BYTES));
    return this.#window[0] ?? 0;
  }

  #checkLength(length: number): void {
    if (this.at + length > MAX_BYTES)
      throw new CheckpointError(
        "too-large",
        "The file's list of tensors is larger than that of any network.",
      );
  }
}
