/** Measured ten times a second: the K-weighted mean square of all channels, and the true peak. */
export type LoudnessStep = { power: number; peak: number };
/** Null where nothing is louder than the gate. */
export type Loudness = {
  integratedLufs: number | null;
  truePeakDbtp: number | null;
  rangeLu: number | null;
};

const STEPS_PER_SECOND = 10;
const BLOCK_STEPS = 4;
const SHORT_TERM_STEPS = 30;
const ABSOLUTE_GATE_LUFS = -70;
const INTEGRATED_GATE_LU = -10;
const RANGE_GATE_LU = -20;
const RANGE_SHARES = [0.1, 0.95] as const;
/** The surround channels of 5.1 count 1.5 dB more, its low frequencies not at all. */
const WEIGHTS_OF_SIX = [1, 1, 1, 0, 1.41, 1.41];
const OVERSAMPLING = 4;
const TAPS = 12;
/** Between samples a signal hardly rises by more than 6 dB; where even that stays below the peak so far, nothing is computed. */
const OVERSHOOT_MAX = 2;

type Biquad = { b0: number; b1: number; b2: number; a1: number; a2: number };

/** Loudness of ITU-R BS.1770-4, step by step. Steps must follow each other; before the first, and after a gap, `warmUp` is filtered and not measured. */
export class LoudnessMeter {
  readonly #filters: readonly [Biquad, Biquad];
  readonly #weights: readonly number[];
  readonly #states: Float64Array[];
  readonly #phases = makePhases();

  constructor({ sampleRateHz, channels }: { sampleRateHz: number; channels: number }) {
    this.#filters = makeWeighting(sampleRateHz);
    this.#weights = channels === 6 ? WEIGHTS_OF_SIX : new Array<number>(channels).fill(1);
    this.#states = Array.from({ length: channels }, () => new Float64Array(4));
  }

  warmUp(planes: readonly Float32Array[]): void {
    this.measure(planes, 0, planes[0]?.length ?? 0);
  }

  /** The frames `[start, end)`; frames beside them serve the peak only. */
  measure(planes: readonly Float32Array[], start: number, end: number): LoudnessStep {
    let power = 0;
    let peak = 0;
    planes.forEach((plane, channel) => {
      power += this.#weights[channel]! * this.#filter(plane, { channel, start, end });
      peak = Math.max(peak, this.#findPeak(plane, { start, end, above: peak }));
    });
    return { power: power / Math.max(1, end - start), peak };
  }

  #filter(plane: Float32Array, { channel, start, end }: { channel: number; start: number; end: number }) {
    const [shelf, high] = this.#filters;
    const state = this.#states[channel]!;
    let [s1, s2, h1, h2] = state as unknown as [number, number, number, number];
    let sum = 0;
    for (let n = start; n < end; n++) {
      const x = plane[n]!;
      const y = shelf.b0 * x + s1;
      s1 = shelf.b1 * x - shelf.a1 * y + s2;
      s2 = shelf.b2 * x - shelf.a2 * y;
      const z = high.b0 * y + h1;
      h1 = high.b1 * y - high.a1 * z + h2;
      h2 = high.b2 * y - high.a2 * z;
      sum += z * z;
    }
    state.set([s1, s2, h1, h2]);
    return sum;
  }

  #findPeak(plane: Float32Array, { start, end, above }: { start: number; end: number; above: number }) {
    let peak = above;
    for (let n = start; n < end; n++) {
      const level = Math.abs(plane[n]!);
      if (level > peak) peak = level;
    }
    const last = Math.min(end, plane.length - TAPS / 2);
    for (let n = Math.max(start, TAPS / 2 - 1); n < last; n++) {
      const [from, to] = [plane[n]!, plane[n + 1]!];
      if (Math.max(Math.abs(from), Math.abs(to)) * OVERSHOOT_MAX <= peak) continue;
      // A peak lies where the slope turns.
      if ((from - plane[n - 1]!) * (plane[n + 2]! - to) > 0) continue;
      peak = Math.max(peak, this.#interpolate(plane, n - TAPS / 2 + 1));
    }
    return peak;
  }

  #interpolate(plane: Float32Array, first: number): number {
    let peak = 0;
    for (const phase of this.#phases) {
      let value = 0;
      for (let tap = 0; tap < TAPS; tap++) value += phase[tap]! * plane[first + tap]!;
      peak = Math.max(peak, Math.abs(value));
    }
    return peak;
  }
}

/** Integrated loudness and true peak of BS.1770-4, loudness range of EBU Tech 3342. */
export function toLoudness(powers: ArrayLike<number>, peaks: ArrayLike<number>): Loudness {
  const blocks = listLoudness(powers, BLOCK_STEPS);
  const integrated = toLufs(gate(blocks, INTEGRATED_GATE_LU));
  const shortTerm = listLoudness(powers, SHORT_TERM_STEPS);
  const ranged = gate(shortTerm, RANGE_GATE_LU)
    .map((power) => toLufs([power])!)
    .sort((a, b) => a - b);
  const at = (share: number) => ranged[Math.round((ranged.length - 1) * share)];
  const [low, high] = [at(RANGE_SHARES[0]), at(RANGE_SHARES[1])];
  let peak = 0;
  for (let n = 0; n < peaks.length; n++) peak = Math.max(peak, peaks[n]!);
  return {
    integratedLufs: integrated === undefined ? null : roundTenth(integrated),
    truePeakDbtp: peak > 0 ? roundTenth(20 * Math.log10(peak)) : null,
    rangeLu: low === undefined || high === undefined ? null : roundTenth(high - low),
  };
}

/** Mean powers of overlapping blocks; one block for a recording shorter than a block. */
function listLoudness(powers: ArrayLike<number>, steps: number): number[] {
  const count = Math.max(1, powers.length - steps + 1);
  return Array.from({ length: count }, (_, first) => {
    const last = Math.min(powers.length, first + steps);
    let sum = 0;
    for (let n = first; n < last; n++) sum += powers[n]!;
    return sum / Math.max(1, last - first);
  });
}

function gate(blocks: readonly number[], relativeLu: number): number[] {
  const sounding = blocks.filter((power) => power > toPower(ABSOLUTE_GATE_LUFS));
  const threshold = toLufs(sounding);
  return threshold === undefined ? [] : sounding.filter((power) => power > toPower(threshold + relativeLu));
}

const toPower = (lufs: number) => 10 ** ((lufs + 0.691) / 10);

function toLufs(powers: readonly number[]): number | undefined {
  if (powers.length === 0) return undefined;
  return -0.691 + 10 * Math.log10(powers.reduce((sum, power) => sum + power, 0) / powers.length);
}

const roundTenth = (value: number) => Math.round(value * 10) / 10;

/** The two filters of the recommendation, from their analogue prototypes, for any sample rate. */
function makeWeighting(sampleRateHz: number): [Biquad, Biquad] {
  const shelf = { k: Math.tan((Math.PI * 1681.974450955533) / sampleRateHz), q: 0.7071752369554196 };
  const top = 10 ** (3.999843853973347 / 20);
  const middle = top ** 0.4996667741545416;
  const high = { k: Math.tan((Math.PI * 38.13547087602444) / sampleRateHz), q: 0.5003270373238773 };
  const toPoles = ({ k, q }: { k: number; q: number }) => {
    const a0 = 1 + k / q + k * k;
    return { a0, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
  };
  const { a0, ...shelfPoles } = toPoles(shelf);
  const { k, q } = shelf;
  const { a1, a2 } = toPoles(high);
  return [
    {
      b0: (top + (middle * k) / q + k * k) / a0,
      b1: (2 * (k * k - top)) / a0,
      b2: (top - (middle * k) / q + k * k) / a0,
      ...shelfPoles,
    },
    { b0: 1, b1: -2, b2: 1, a1, a2 },
  ];
}

/** Windowed sincs between a sample and the next. */
function makePhases(): Float64Array[] {
  return Array.from({ length: OVERSAMPLING - 1 }, (_, index) => {
    const shift = (index + 1) / OVERSAMPLING;
    const taps = Float64Array.from({ length: TAPS }, (_, tap) => {
      const x = tap - TAPS / 2 + 1 - shift;
      const window = 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / (TAPS + 1));
      return x === 0 ? 1 : (Math.sin(Math.PI * x) / (Math.PI * x)) * window;
    });
    const sum = taps.reduce((a, b) => a + b, 0);
    return taps.map((tap) => tap / sum);
  });
}

export const LOUDNESS_STEPS_PER_SECOND = STEPS_PER_SECOND;
