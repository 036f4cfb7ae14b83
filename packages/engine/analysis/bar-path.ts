/** Metres as the network numbers them; 0 is none. */
const METRES = [
  { signature: undefined, beats: 0 },
  { signature: "2/4", beats: 2 },
  { signature: "3/4", beats: 3 },
  { signature: "4/4", beats: 4 },
  { signature: "5/4", beats: 5 },
  { signature: "7/4", beats: 7 },
  { signature: "6/8", beats: 2 },
  { signature: "12/8", beats: 4 },
] as const;
export const METRE_COUNT = METRES.length;

/** Evidence it takes to change the metre at a bar's end, and to end a bar early. */
const METRE_CHANGE_COST = 12;
const BROKEN_BAR_COST = 6;
const EVIDENCE_MAX = 4;
/** How much a beat's metre counts beside its downbeats. */
const METRE_WEIGHT = 0.25;

export type BeatEvidence = {
  /** Logit of a downbeat. */
  downbeat: number;
  /** Log-probabilities of the metres around the beat. */
  metres: Float32Array;
};
export type BarPlace = { beat: number; bar: number };

type State = { metre: number; place: number };
const STATES: State[] = METRES.flatMap(({ beats }, metre) =>
  Array.from({ length: beats }, (_, place) => ({ metre, place })),
);

/** The place of every beat in its bar, and the time signature of most bars. Beats before the first downbeat are in bar 0. */
export function findBars(beats: readonly BeatEvidence[]): {
  places: BarPlace[];
  timeSignature: string | null;
} {
  const path = findPath(beats);
  let bar = 0;
  const places = path.map((state) => {
    const { place } = STATES[state]!;
    if (place === 0) bar += 1;
    return { beat: place + 1, bar };
  });
  return { places, timeSignature: findSignature(path) };
}

function findPath(beats: readonly BeatEvidence[]): number[] {
  const count = STATES.length;
  const origins = new Uint8Array(beats.length * count);
  let totals = new Float64Array(count);
  beats.forEach(({ downbeat, metres }, at) => {
    const evidence = Math.max(-EVIDENCE_MAX, Math.min(EVIDENCE_MAX, downbeat));
    const next = new Float64Array(count);
    STATES.forEach((state, to) => {
      const [from, total] = at === 0 ? [to, 0] : findOrigin(totals, state);
      origins[at * count + to] = from;
      next[to] = total + METRE_WEIGHT * metres[state.metre]! + (state.place === 0 ? evidence : 0);
    });
    totals = next;
  });
  let state = totals.indexOf(Math.max(...totals));
  const path: number[] = [];
  for (let at = beats.length - 1; at >= 0; at--) {
    path.push(state);
    state = origins[at * count + state]!;
  }
  return path.reverse();
}

function findOrigin(totals: Float64Array, to: State): [number, number] {
  let best = 0;
  let bestTotal = Number.NEGATIVE_INFINITY;
  STATES.forEach((from, index) => {
    const isLast = from.place === METRES[from.metre]!.beats - 1;
    const isNext = from.metre === to.metre && to.place === from.place + 1;
    if (!isNext && to.place !== 0) return;
    const broken = isNext || isLast ? 0 : BROKEN_BAR_COST;
    const cost = broken + (from.metre === to.metre ? 0 : METRE_CHANGE_COST);
    if (totals[index]! - cost > bestTotal) {
      best = index;
      bestTotal = totals[index]! - cost;
    }
  });
  return [best, bestTotal];
}

function findSignature(path: readonly number[]): string | null {
  const counts = new Array<number>(METRE_COUNT).fill(0);
  for (const state of path) counts[STATES[state]!.metre]! += 1;
  const most = counts.indexOf(Math.max(...counts));
  return METRES[most]?.signature ?? null;
}
