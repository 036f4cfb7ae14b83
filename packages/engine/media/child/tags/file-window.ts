import { fstatSync, readSync } from "node:fs";
import { MediaError } from "../../media-error.ts";

const WINDOW_BYTES = 1 << 16;
/** Four seconds. Hours of film in short fragments take some hundred thousand. */
const MAX_READS = 20_000_000;

/** Reads a file here and there; the position of its descriptor stays FFmpeg's. */
export class FileWindow {
  readonly #fd: number;
  #window: Buffer = Buffer.alloc(0);
  #startByte = 0;
  #reads = 0;

  get sizeBytes(): number {
    return fstatSync(this.#fd).size;
  }

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Fewer bytes at the end of the file. */
  read(atByte: number, lengthBytes: number): Buffer {
    this.#reads += 1;
    if (this.#reads > MAX_READS) throw new MediaError("unreadable", "The file is made of too many pieces.");
    if (atByte < 0 || !Number.isSafeInteger(atByte + WINDOW_BYTES)) return Buffer.alloc(0);
    const isInside =
      atByte >= this.#startByte && atByte + lengthBytes <= this.#startByte + this.#window.length;
    if (!isInside) {
      const window = Buffer.alloc(Math.max(lengthBytes, WINDOW_BYTES));
      this.#window = window.subarray(0, readSync(this.#fd, window, 0, window.length, atByte));
      this.#startByte = atByte;
    }
    const from = atByte - this.#startByte;
    return this.#window.subarray(from, from + lengthBytes);
  }

  /** Undefined behind the end of the file. */
  readText(atByte: number, lengthBytes: number): string | undefined {
    const bytes = this.read(atByte, lengthBytes);
    return bytes.length === lengthBytes ? bytes.toString("latin1") : undefined;
  }
}
