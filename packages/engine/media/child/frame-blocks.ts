/** Cuts a stream of interleaved samples into blocks of one size, for encoders with a fixed frame size. */
export class FrameBlocks {
  readonly #block: Float32Array;
  #filled = 0;

  constructor(blockSamples: number) {
    this.#block = new Float32Array(blockSamples);
  }

  get heldSamples(): number {
    return this.#filled;
  }

  /** Each block is valid until the next one is requested. */
  *push(samples: Float32Array): Generator<Float32Array> {
    for (let offset = 0; offset < samples.length; ) {
      const taken = Math.min(samples.length - offset, this.#block.length - this.#filled);
      this.#block.set(samples.subarray(offset, offset + taken), this.#filled);
      this.#filled += taken;
      offset += taken;
      if (this.#filled < this.#block.length) return;
      this.#filled = 0;
      yield this.#block;
    }
  }

  /** The remainder, shorter than a block; empty if the stream ended on a block boundary. */
  takeRest(): Float32Array {
    const rest = this.#block.slice(0, this.#filled);
    this.#filled = 0;
    return rest;
  }
}
