/** Byte-pair encoding over bytes written as printable characters, as in GPT-2. */
export class BytePairs {
  readonly #rankOfPair: ReadonlyMap<string, number>;
  readonly #charOfByte: readonly string[] = makePrintableBytes();
  readonly #byteOfChar: ReadonlyMap<string, number> = new Map(
    this.#charOfByte.map((char, byte) => [char, byte]),
  );
  readonly #known = new Map<string, readonly string[]>();

  /** `merges` in order of precedence, each two parts separated by a space. */
  constructor(merges: readonly string[]) {
    this.#rankOfPair = new Map(merges.map((pair, rank) => [pair, rank]));
  }

  toBytes(part: string): Uint8Array {
    return Uint8Array.from(part, (char) => this.#byteOfChar.get(char) ?? 0);
  }

  /** Splits a piece of text into tokens, in printable form. */
  split(piece: string): readonly string[] {
    const known = this.#known.get(piece);
    if (known !== undefined) return known;
    const parts = this.#merge(Array.from(Buffer.from(piece), (byte) => this.#charOfByte[byte] ?? ""));
    this.#known.set(piece, parts);
    return parts;
  }

  #merge(parts: string[]): readonly string[] {
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      let bestAt = -1;
      for (let n = 0; n + 1 < parts.length; n++) {
        const rank = this.#rankOfPair.get(`${parts[n]} ${parts[n + 1]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < best) {
          best = rank;
          bestAt = n;
        }
      }
      if (bestAt < 0) return parts;
      parts.splice(bestAt, 2, `${parts[bestAt]}${parts[bestAt + 1]}`);
    }
  }
}

/** Printable Latin-1 maps to itself; the other bytes map to U+0100 and up. */
function makePrintableBytes(): string[] {
  let spare = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(isPrintable ? byte : spare++);
  });
}
