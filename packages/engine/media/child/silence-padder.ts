/** Containers round times, at worst to a millisecond (Matroska), and live recordings drift: a smaller deviation is not a gap. */
const TOLERATED_DRIFT_SECONDS = 0.2;

/** A longer jump counts as a wrong time stamp: filling it would let a few bytes fill the disk. */
export const MAX_SILENCE_SECONDS = 600;

/** Decides how much silence to insert so that audio after a gap keeps its position. */
export class SilencePadder {
  readonly #sampleRateHz: number;
  #expectedSeconds: number | undefined;

  /** `startSeconds` is the start of the stream, if known to be before the first block. */
  constructor(sampleRateHz: number, startSeconds?: number) {
    this.#sampleRateHz = sampleRateHz;
    this.#expectedSeconds = startSeconds;
  }

  /** Returns the frames of silence to insert before a block that starts at `startSeconds`. */
  place(block: { startSeconds: number | undefined; lengthFrames: number; isAfterError: boolean }): number {
    const { startSeconds, lengthFrames, isAfterError } = block;
    const gapFrames = this.#findGapFrames(startSeconds, isAfterError);
    const lengthSeconds = lengthFrames / this.#sampleRateHz;
    if (this.#expectedSeconds !== undefined) {
      const isJump =
        startSeconds !== undefined && Math.abs(startSeconds - this.#expectedSeconds) > MAX_SILENCE_SECONDS;
      this.#expectedSeconds = isJump
        ? startSeconds + lengthSeconds
        : this.#expectedSeconds + gapFrames / this.#sampleRateHz + lengthSeconds;
    } else if (startSeconds !== undefined) {
      this.#expectedSeconds = startSeconds + lengthSeconds;
    }
    return gapFrames;
  }

  #findGapFrames(startSeconds: number | undefined, isAfterError: boolean): number {
    if (startSeconds === undefined || this.#expectedSeconds === undefined) return 0;
    const gapSeconds = startSeconds - this.#expectedSeconds;
    if (gapSeconds > MAX_SILENCE_SECONDS) return 0;
    if (gapSeconds <= 0 || (!isAfterError && gapSeconds < TOLERATED_DRIFT_SECONDS)) return 0;
    return Math.round(gapSeconds * this.#sampleRateHz);
  }
}
