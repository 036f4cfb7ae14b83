/** Packs bits into bytes, most significant first. */
export class BitWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes);
  }

  get lengthBytes(): number {
    return this.#length;
  }

  /** Grows the buffer first, so that writing needs no bounds checks. */
  reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  /** At most 24 bits; higher bits must be zero. */
  put(value: number, bits: number): void {
    let pending = (this.#pending << bits) | value;
    let pendingBits = this.#pendingBits + bits;
    while (pendingBits >= 8) {
      pendingBits -= 8;
      this.#bytes[this.#length++] = pending >>> pendingBits;
    }
    pending &= (1 << pendingBits) - 1;
    this.#pending = pending;
    this.#pendingBits = pendingBits;
  }

  /** In two's complement. */
  putSigned(value: number, bits: number): void {
    if (bits > 24) {
      this.put((value >> 24) & ((1 << (bits - 24)) - 1), bits - 24);
      this.put(value & 0xffffff, 24);
    } else this.put(value & ((1 << bits) - 1), bits);
  }

  /** Rice code: each non-negative number as a unary quotient and `low` bits. The state is held in locals: a call per number would double the time. */
  putRice(values: Int32Array, { from, to, low }: { from: number; to: number; low: number }): void {
    const bytes = this.#bytes;
    let length = this.#length;
    let pending = this.#pending;
    let pendingBits = this.#pendingBits;
    const mask = (1 << low) - 1;
    for (let n = from; n < to; n++) {
      const value = values[n]!;
      for (let zeros = value >>> low; zeros > 0; ) {
        const bits = Math.min(zeros, 16);
        pending <<= bits;
        pendingBits += bits;
        zeros -= bits;
        while (pendingBits >= 8) {
          pendingBits -= 8;
          bytes[length++] = pending >>> pendingBits;
        }
      }
      // At most 7 bits are pending, and 1 + low are 25 at most.
      pending = ((pending & 0x7f) << (low + 1)) | (mask + 1) | (value & mask);
      pendingBits += low + 1;
      while (pendingBits >= 8) {
        pendingBits -= 8;
        bytes[length++] = pending >>> pendingBits;
      }
    }
    this.#length = length;
    this.#pending = pending & ((1 << pendingBits) - 1);
    this.#pendingBits = pendingBits;
  }

  alignToByte(): void {
    if (this.#pendingBits > 0) this.put(0, 8 - this.#pendingBits);
  }

  /** The bytes written from `fromByte` on, without a partial last byte. */
  view(fromByte = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(fromByte, this.#length);
  }
}
