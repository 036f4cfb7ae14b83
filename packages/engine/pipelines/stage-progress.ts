/**
 * One rising fraction out of stages of different weight. Each stage reports its own 0 to 1; the sum never
 * falls, even where a stage starts again lower.
 */
export class StageProgress {
  readonly #report: (fraction: number) => void;
  readonly #totalWeight: number;
  #doneWeight = 0;
  #highest = 0;

  constructor(report: (fraction: number) => void, totalWeight: number) {
    this.#report = report;
    this.#totalWeight = totalWeight;
  }

  /** Starts the next stage; the one before counts as complete. */
  makeStage(weight: number): (fraction: number) => void {
    const base = this.#doneWeight;
    this.#doneWeight += weight;
    return (fraction) => {
      const total = Math.min(1, (base + weight * fraction) / this.#totalWeight);
      if (total <= this.#highest) return;
      this.#highest = total;
      this.#report(total);
    };
  }
}
