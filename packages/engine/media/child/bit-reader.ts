/** Reads bits, most significant first. Zeros past the end. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#position++) {
      const byte = this.#bytes[this.#position >> 3] ?? 0;
      value = value * 2 + ((byte >> (7 - (this.#position & 7))) & 1);
    }
    return value;
  }

  skip(count: number): void {
    this.#position += count;
  }
}
