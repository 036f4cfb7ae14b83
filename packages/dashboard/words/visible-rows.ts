import { findLast } from "./words-lines.ts";

/** Positions of rows of different heights: measured if known, else estimated. */
export class RowHeights {
  readonly #estimate: (index: number) => number;
  readonly #measured: (number | undefined)[] = [];
  #tops: Float64Array;

  constructor(count: number, estimate: (index: number) => number) {
    this.#estimate = estimate;
    this.#tops = this.#sum(count);
  }

  get count(): number {
    return this.#tops.length - 1;
  }

  get totalHeight(): number {
    return this.#tops[this.count] ?? 0;
  }

  topOf(index: number): number {
    return this.#tops[Math.min(Math.max(0, index), this.count)] ?? 0;
  }

  /** True if a height differs from what was assumed. */
  measure(heights: Iterable<readonly [number, number]>): boolean {
    let hasChanged = false;
    for (const [index, height] of heights) {
      if (height === 0 || this.#measured[index] === height) continue;
      this.#measured[index] = height;
      hasChanged = true;
    }
    if (hasChanged) this.#tops = this.#sum(this.count);
    return hasChanged;
  }

  /** The rows visible in a window plus a margin on both sides, from `first` up to `behind`. */
  findVisible(view: { top: number; height: number; margin: number }): { first: number; behind: number } {
    const from = view.top - view.margin;
    const to = view.top + view.height + view.margin;
    const first = Math.max(
      0,
      findLast(this.count, (index) => this.topOf(index) <= from),
    );
    const last = findLast(this.count, (index) => this.topOf(index) < to);
    return { first, behind: Math.min(this.count, last + 1) };
  }

  #sum(count: number): Float64Array {
    const tops = new Float64Array(count + 1);
    for (let index = 0; index < count; index++)
      tops[index + 1] = (tops[index] ?? 0) + (this.#measured[index] ?? this.#estimate(index));
    return tops;
  }
}
