import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const WINDOW_BYTES = 1 << 14;

/** A file read on demand. */
export class ByteFile implements Disposable {
  readonly length: number;
  readonly #file: number;
  #window = new Uint8Array();
  #windowStart = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.length = fstatSync(this.#file).size;
  }

  /** Undefined past the end. */
  byteAt(at: number): number | undefined {
    if (!this.#holds(at, at + 1)) {
      this.#window = this.#load(at, Math.min(this.length, at + WINDOW_BYTES));
      this.#windowStart = at;
    }
    return this.#window[at - this.#windowStart];
  }

  /** Returns a copy. */
  read(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#holds(start, end)
      ? this.#window.slice(start - this.#windowStart, end - this.#windowStart)
      : this.#load(start, end);
  }

  #holds(start: number, end: number): boolean {
    return start >= this.#windowStart && end <= this.#windowStart + this.#window.length;
  }

  #load(start: number, end: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(end - start);
    let done = 0;
    while (done < bytes.length) {
      const size = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (size === 0) throw new RangeError("the file is shorter than it was");
      done += size;
    }
    return bytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
