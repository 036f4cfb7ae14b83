/** Smaller steps are not worth a message: a three-hour input would send tens of thousands. */
const SMALLEST_STEP = 0.001;
/** Of what there is to do, before there is a pace: a shorter stretch may be one part of one segment. */
const PACE_SHARE_MIN = 0.05;

type Stage = { weight: number; fraction: number; foundFraction: number | undefined; isBeside: boolean };

/**
 * One rising fraction out of stages of different weight, and the time the rest takes at the pace so far. Each stage reports its own 0 to 1; a
 * lower number than before is passed over. The pace is that between reports: what a stage has at its first one may be an earlier run's work.
 */
export class StageProgress {
  readonly #report: (fraction: number, secondsLeft: number | undefined) => void;
  readonly #stages: Stage[] = [];
  #totalWeight: number;
  #hasBegun = false;
  #paceStartMs: number | undefined;
  #lastShare = 0;
  #highest = 0;

  constructor(report: (fraction: number, secondsLeft?: number) => void, totalWeight: number) {
    this.#report = report;
    this.#totalWeight = totalWeight;
  }

  /** For a stage that turns out to be needed: until the others have caught up, the fraction stands still. */
  addWeight(weight: number): void {
    this.#totalWeight += weight;
  }

  /** All stages so far are complete, and tell of no pace: reading input and network takes its time once, however much there is to do behind it. */
  begin(): void {
    for (const stage of this.#stages) stage.fraction = stage.foundFraction = 1;
    this.#hasBegun = true;
  }

  /** Starts the next stage; those before count as complete, but for those that run beside others. */
  makeStage(weight: number): (fraction: number) => void {
    for (const stage of this.#stages) if (!stage.isBeside) stage.fraction = 1;
    return this.#add({ weight, fraction: 0, foundFraction: undefined, isBeside: false });
  }

  /** Starts a stage that runs beside others; it is complete when it says so. */
  makeStageBeside(weight: number): (fraction: number) => void {
    return this.#add({ weight, fraction: 0, foundFraction: undefined, isBeside: true });
  }

  #add(stage: Stage): (fraction: number) => void {
    this.#stages.push(stage);
    return (fraction) => {
      stage.fraction = Math.max(stage.fraction, fraction);
      stage.foundFraction ??= fraction;
      if (this.#hasBegun) this.#paceStartMs ??= performance.now();
      this.#tell();
    };
  }

  #tell(): void {
    const doneWeight = sumOf(this.#stages, ({ weight, fraction }) => weight * fraction);
    const share = doneWeight / this.#totalWeight;
    // Weights that add up to one only nearly must still end at one.
    const total = share > 1 - 1e-9 ? 1 : share;
    if (Math.abs(total - this.#lastShare) < SMALLEST_STEP && !(total === 1 && this.#highest < 1)) return;
    this.#lastShare = total;
    this.#highest = Math.max(this.#highest, total);
    this.#report(this.#highest, this.#findSecondsLeft(doneWeight));
  }

  #findSecondsLeft(doneWeight: number): number | undefined {
    if (this.#paceStartMs === undefined) return undefined;
    const foundWeight = sumOf(this.#stages, ({ weight, foundFraction = 0 }) => weight * foundFraction);
    const workedWeight = doneWeight - foundWeight;
    if (workedWeight < PACE_SHARE_MIN * (this.#totalWeight - foundWeight)) return undefined;
    const elapsedSeconds = (performance.now() - this.#paceStartMs) / 1000;
    return (elapsedSeconds * Math.max(0, this.#totalWeight - doneWeight)) / workedWeight;
  }
}

function sumOf(stages: readonly Stage[], measure: (stage: Stage) => number): number {
  return stages.reduce((sum, stage) => sum + measure(stage), 0);
}
