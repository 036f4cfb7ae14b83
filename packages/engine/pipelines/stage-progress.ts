/** Smaller steps are not worth a message: a three-hour input would send tens of thousands. */
const SMALLEST_STEP = 0.001;

/**
 * One rising fraction out of stages of different weight. Each stage reports its own 0 to 1; the sum never
 * falls, even where a stage starts again lower.
 */
export class StageProgress {
  readonly #report: (fraction: number) => void;
  #totalWeight: number;
  #doneWeight = 0;
  #highest = 0;

  constructor(report: (fraction: number) => void, totalWeight: number) {
    this.#report = report;
    this.#totalWeight = totalWeight;
  }

  /** For a stage that turns out to be needed: until the others have caught up, the fraction stands still. */
  addWeight(weight: number): void {
    this.#totalWeight += weight;
  }

  /** For work that no stage foresaw but that is done, as loading a network is. */
  addDone(weight: number): void {
    this.#totalWeight += weight;
    this.#doneWeight += weight;
  }

  /** Starts the next stage; the one before counts as complete. */
  makeStage(weight: number): (fraction: number) => void {
    const base = this.#doneWeight;
    this.#doneWeight += weight;
    return (fraction) => {
      const share = (base + weight * fraction) / this.#totalWeight;
      // Weights that add up to one only nearly must still end at one.
      const total = share > 1 - 1e-9 ? 1 : share;
      const step = total - this.#highest;
      if (step < SMALLEST_STEP && !(total === 1 && step > 0)) return;
      this.#highest = total;
      this.#report(total);
    };
  }
}
