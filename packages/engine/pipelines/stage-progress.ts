/** Smaller steps are not worth a message: a three-hour input would send tens of thousands. */
const SMALLEST_STEP = 0.001;

type Stage = { weight: number; fraction: number; isBeside: boolean };

/**
 * One rising fraction out of stages of different weight. Each stage reports its own 0 to 1; the sum never
 * falls, even where a stage starts again lower.
 */
export class StageProgress {
  readonly #report: (fraction: number) => void;
  readonly #stages: Stage[] = [];
  #totalWeight: number;
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
    this.#stages.push({ weight, fraction: 1, isBeside: true });
  }

  /** Starts the next stage; those before count as complete, but for those that run beside others. */
  makeStage(weight: number): (fraction: number) => void {
    for (const stage of this.#stages) if (!stage.isBeside) stage.fraction = 1;
    return this.#add({ weight, fraction: 0, isBeside: false });
  }

  /** Starts a stage that runs beside others; it is complete when it says so. */
  makeStageBeside(weight: number): (fraction: number) => void {
    return this.#add({ weight, fraction: 0, isBeside: true });
  }

  #add(stage: Stage): (fraction: number) => void {
    this.#stages.push(stage);
    return (fraction) => {
      stage.fraction = fraction;
      this.#tell();
    };
  }

  #tell(): void {
    const doneWeight = this.#stages.reduce((sum, { weight, fraction }) => sum + weight * fraction, 0);
    const share = doneWeight / this.#totalWeight;
    // Weights that add up to one only nearly must still end at one.
    const total = share > 1 - 1e-9 ? 1 : share;
    const step = total - this.#highest;
    if (step < SMALLEST_STEP && !(total === 1 && step > 0)) return;
    this.#highest = total;
    this.#report(total);
  }
}
