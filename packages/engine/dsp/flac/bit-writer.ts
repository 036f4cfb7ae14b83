/** Packs bits into bytes, most significant first. */
export class BitWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;
  /** Fewer than 32 bits that are not among the bytes yet; the bits above them are zero. */
  #pending = 0;
  #pendingBits = 0;

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Of whole bytes. */
  get lengthBytes(): number {
    return this.#length + (this.#pendingBits >> 3);
  }

  /** Grows the buffer first, so that writing needs no bounds checks. */
  reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  /** At most 24 bits; higher bits must be zero. */
  put(value: number, bits: number): void {
    this.#flush();
    this.#pending = (this.#pending << bits) | value;
    this.#pendingBits += bits;
  }

  /** In two's complement. */
  putSigned(value: number, bits: number): void {
    if (bits > 24) {
      this.put((value >> 24) & ((1 << (bits - 24)) - 1), bits - 24);
      this.put(value & 0xffffff, 24);
    } else this.put(value & ((1 << bits) - 1), bits);
  }

  /**
   * Rice code: each non-negative number as a unary quotient and `low` bits. The state is held in locals, and four bytes are written at once: a call per
   * number, or single bytes, would double the time.
   */
  putRice(values: Int32Array, { from, to, low }: { from: number; to: number; low: number }): void {
    const view = this.#view;
    let length = this.#length;
    let pending = this.#pending;
    let pendingBits = this.#pendingBits;
    const one = 1 << low;
    for (let n = from; n < to; n++) {
      const value = values[n]!;
      let bits = (value >>> low) + 1 + low;
      // Leading zeros first; they are rare, and more than 7, since `low` is at most 24.
      for (; bits > 32; bits -= 8) {
        if (pendingBits < 24) {
          pending <<= 8;
          pendingBits += 8;
        } else {
          view.setUint32(length, pending << (32 - pendingBits));
          length += 4;
          pending = 0;
          pendingBits -= 24;
        }
      }
      const code = one | (value & (one - 1));
      const excess = pendingBits + bits - 32;
      if (excess < 0) {
        pending = (pending << bits) | code;
        pendingBits += bits;
      } else {
        view.setUint32(length, (pending << (32 - pendingBits)) | (code >>> excess));
        length += 4;
        pending = code & ((1 << excess) - 1);
        pendingBits = excess;
      }
    }
    this.#length = length;
    this.#pending = pending;
    this.#pendingBits = pendingBits;
  }

  alignToByte(): void {
    this.put(0, -this.#pendingBits & 7);
  }

  /** The bytes written from `fromByte` on, without a partial last byte. */
  view(fromByte = 0): Uint8Array<ArrayBuffer> {
    this.#flush();
    return this.#bytes.subarray(fromByte, this.#length);
  }

  /** Writes the whole bytes among the pending bits. */
  #flush(): void {
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#bytes[this.#length++] = this.#pending >>> this.#pendingBits;
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }
}
