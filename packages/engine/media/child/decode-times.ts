/**
 * Assigns the decode times that Matroska does not store. Decoding order is display order delayed by the reordering depth: each packet gets the
 * smallest display time not assigned yet, and the first ones count backwards from the start.
 */
export class DecodeTimes {
  readonly #waiting: number[];

  /** The depth is derived from the first packets' display times, in storage order. */
  constructor(firstPts: readonly number[], frameTicks: number) {
    const inDisplayOrder = [...firstPts].sort((a, b) => a - b);
    const start = inDisplayOrder[0] ?? 0;
    const depth = Math.max(0, ...firstPts.map((pts, index) => index - inDisplayOrder.indexOf(pts)));
    this.#waiting = Array.from({ length: depth }, (_, index) => start - (depth - index) * frameTicks);
  }

  take(pts: number): number {
    const at = this.#waiting.findLastIndex((waiting) => waiting <= pts) + 1;
    this.#waiting.splice(at, 0, pts);
    // Even a stream that later reorders deeper must not be decoded after it is shown.
    return Math.min(this.#waiting.shift() ?? pts, pts);
  }
}
