import { ftruncateSync, writeSync } from "node:fs";
import { isDiskFull } from "../../is-disk-full.ts";
import { makeDiskFullError, makeTooLargeFileError } from "../media-error.ts";

const SILENCE_BYTES = 1 << 16;

/** Raw PCM on an inherited descriptor. */
export class PcmFile {
  readonly #fd: number;
  readonly #bytesPerFrame: number;
  lengthFrames = 0;

  constructor(fd: number, bytesPerFrame: number) {
    this.#fd = fd;
    this.#bytesPerFrame = bytesPerFrame;
  }

  write(pcm: Uint8Array): void {
    for (let offset = 0; offset < pcm.length; ) offset += this.#writeSome(pcm.subarray(offset));
    this.lengthFrames += pcm.length / this.#bytesPerFrame;
  }

  writeSilence(frames: number): void {
    // Called before every decoded frame: an empty buffer each time would take more memory than the audio.
    if (frames === 0) return;
    const silence = Buffer.alloc(SILENCE_BYTES - (SILENCE_BYTES % this.#bytesPerFrame));
    for (let left = frames * this.#bytesPerFrame; left > 0; left -= silence.length) {
      this.write(silence.subarray(0, Math.min(left, silence.length)));
    }
  }

  dropLast(frames: number): void {
    this.lengthFrames -= frames;
    ftruncateSync(this.#fd, this.lengthFrames * this.#bytesPerFrame);
  }

  #writeSome(pcm: Uint8Array): number {
    try {
      return writeSync(this.#fd, pcm);
    } catch (error) {
      if (isDiskFull(error)) throw makeDiskFullError({ cause: error });
      if ((error as NodeJS.ErrnoException).code === "EFBIG") throw makeTooLargeFileError({ cause: error });
      throw error;
    }
  }
}
