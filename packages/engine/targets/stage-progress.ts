/** Smaller steps are not reported: a three-hour input would send tens of thousands of messages. */
const SMALLEST_STEP = 0.001;
/** Share of the work before a pace is known: less may be part of a single segment. */
const MIN_PACE_SHARE = 0.05;

/** Progress of a target, from 0 to 1, never falling, and the remaining time once a pace is known. */
export type TargetProgress = { key: string; fraction: number; secondsLeft?: number };

/** Starts the next stage of a pass, which takes this many seconds for each second of input; returns what reports its progress from 0 to 1. */
export type MakeStage = (weight: number) => (fraction: number) => void;

type Stage = {
  weight: number;
  /** The targets that wait for it. */
  keys: ReadonlySet<string>;
  fraction: number;
  foundFraction: number | undefined;
  isBeside: boolean;
};

type Reported = { share: number; highest: number };

/**
 * A rising fraction for each target from the weighted stages it waits for, and the remaining time at the pace so far. Each stage reports its
 * own 0 to 1; a lower number than before is ignored. The pace is measured between reports: what a stage has at its first one may be from an
 * earlier run.
 */
export class StageProgress {
  readonly #report: (progress: readonly TargetProgress[]) => void;
  readonly #stages: Stage[] = [];
  readonly #reported = new Map<string, Reported>();
  #weights: ReadonlyMap<string, number>;
  #hasBegun = false;
  #paceStartMs: number | undefined;

  /** `weights`: for each target, the sum over all stages it waits for. */
  constructor(report: (progress: readonly TargetProgress[]) => void, weights: ReadonlyMap<string, number>) {
    this.#report = report;
    this.#weights = weights;
  }

  /** For a stage that turns out to be needed or not; if it is, the fraction pauses until the others have caught up. */
  setWeights(weights: ReadonlyMap<string, number>): void {
    this.#weights = weights;
  }

  /** Completes all stages so far without using them for the pace: loading takes the same time whatever the amount of work. */
  begin(): void {
    for (const stage of this.#stages) stage.fraction = stage.foundFraction = 1;
    this.#hasBegun = true;
  }

  /** Starts the next stage, which these targets wait for; earlier ones count as complete, except parallel ones. */
  makeStage(weight: number, keys: Iterable<string>): (fraction: number) => void {
    for (const stage of this.#stages) if (!stage.isBeside) stage.fraction = 1;
    return this.#add({ weight, keys: new Set(keys), fraction: 0, foundFraction: undefined, isBeside: false });
  }

  /** Starts a stage that runs in parallel with others; it is complete when it reports 1. */
  makeStageBeside(weight: number, keys: Iterable<string>): (fraction: number) => void {
    return this.#add({ weight, keys: new Set(keys), fraction: 0, foundFraction: undefined, isBeside: true });
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
    const progress = [...this.#weights].flatMap(([key, weight]) => this.#findStep(key, weight) ?? []);
    if (progress.length > 0) this.#report(progress);
  }

  /** Undefined if the step is too small to report. */
  #findStep(key: string, totalWeight: number): TargetProgress | undefined {
    const stages = this.#stages.filter(({ keys }) => keys.has(key));
    const doneWeight = sumOf(stages, ({ weight, fraction }) => weight * fraction);
    const ratio = doneWeight / totalWeight;
    // Rounding must not keep a finished target below 1.
    const share = ratio > 1 - 1e-9 ? 1 : ratio;
    const reported = this.#reported.get(key) ?? { share: 0, highest: 0 };
    if (Math.abs(share - reported.share) < SMALLEST_STEP && !(share === 1 && reported.highest < 1))
      return undefined;
    const highest = Math.max(reported.highest, share);
    this.#reported.set(key, { share, highest });
    const secondsLeft = this.#findSecondsLeft(stages, { doneWeight, totalWeight });
    return { key, fraction: highest, ...(secondsLeft === undefined ? {} : { secondsLeft }) };
  }

  #findSecondsLeft(
    stages: readonly Stage[],
    { doneWeight, totalWeight }: { doneWeight: number; totalWeight: number },
  ): number | undefined {
    if (this.#paceStartMs === undefined) return undefined;
    const foundWeight = sumOf(stages, ({ weight, foundFraction = 0 }) => weight * foundFraction);
    const workedWeight = doneWeight - foundWeight;
    if (workedWeight < MIN_PACE_SHARE * (totalWeight - foundWeight)) return undefined;
    const elapsedSeconds = (performance.now() - this.#paceStartMs) / 1000;
    return (elapsedSeconds * Math.max(0, totalWeight - doneWeight)) / workedWeight;
  }
}

function sumOf(stages: readonly Stage[], measure: (stage: Stage) => number): number {
  return stages.reduce((sum, stage) => sum + measure(stage), 0);
}
