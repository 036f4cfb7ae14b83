/** 20 ms; a tempo that lies between two intervals alternates between them. */
export const SLOTS_PER_SECOND = 50;
const INTERVAL_MIN = 13;
const INTERVAL_MAX = 78;
const INTERVALS = INTERVAL_MAX - INTERVAL_MIN + 1;
/** Evidence of a slot, at most: one beat that was missed does not end the music. */
const EVIDENCE_MAX = 4;
const EVIDENCE_SHIFT = 0.5;
/** Evidence it takes to start counting, and to stop. */
const START_COST = 9;
const STOP_COST = 2;
/** Changes of tempo from beat to beat: one slot is rounding. */
const ROUNDING_COST = 0.25;
const CHANGE_COST = 28;
const CHANGE_MAX = 0.3;
/** People tap near this tempo; it decides only where the network does not. */
const USUAL_BPM = 112;
const UNUSUAL_COST = 0.2;

const FROM_NOTHING = -128;

/**
 * The slots with beats: the best sum of the network's evidence at beats whose distances change slowly, or none where the evidence is too weak. A state is a
 * beat and its distance from the one before (a semi-Markov form of the bar pointer), so memory is 66 bytes a slot.
 */
export function findBeatSlots(logits: Float32Array): number[] {
  const slotCount = logits.length;
  const ring = Array.from({ length: INTERVAL_MAX + 1 }, () =>
    new Float32Array(INTERVALS).fill(Number.NEGATIVE_INFINITY),
  );
  const origins = new Int8Array(slotCount * INTERVALS);
  /** For each slot the interval of the beat after which counting stopped, or −1. */
  const stops = new Int8Array(slotCount + 1).fill(-1);
  const biases = Float64Array.from({ length: INTERVALS }, (_, index) => {
    const bpm = (60 * SLOTS_PER_SECOND) / (index + INTERVAL_MIN);
    return -UNUSUAL_COST * Math.log2(bpm / USUAL_BPM) ** 2;
  });
  const costs = makeChangeCosts();
  let idle = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    const logit = logits[slot]! - EVIDENCE_SHIFT;
    const evidence = Math.max(-EVIDENCE_MAX, Math.min(EVIDENCE_MAX, logit));
    const row = ring[slot % ring.length]!;
    let best = Number.NEGATIVE_INFINITY;
    let bestIndex = -1;
    for (let index = 0; index < INTERVALS; index++) {
      const interval = index + INTERVAL_MIN;
      let score = idle - START_COST;
      let origin = FROM_NOTHING;
      if (slot >= interval) {
        const before = ring[(slot - interval) % ring.length]!;
        const reach = Math.max(1, Math.floor(interval * CHANGE_MAX));
        const last = Math.min(INTERVALS - 1, index + reach);
        for (let from = Math.max(0, index - reach); from <= last; from++) {
          const candidate = before[from]! - costs[from * INTERVALS + index]!;
          if (candidate > score) {
            score = candidate;
            origin = from - index;
          }
        }
      }
      row[index] = score + evidence + biases[index]!;
      origins[slot * INTERVALS + index] = origin;
      if (row[index]! > best) {
        best = row[index]!;
        bestIndex = index;
      }
    }
    if (best - STOP_COST > idle) {
      idle = best - STOP_COST;
      stops[slot + 1] = bestIndex;
    }
  }
  return traceBeats(slotCount, stops, origins);
}

function traceBeats(slotCount: number, stops: Int8Array, origins: Int8Array): number[] {
  const beats: number[] = [];
  let slot = slotCount;
  while (slot > 0) {
    let index = stops[slot]!;
    if (index < 0) {
      slot -= 1;
      continue;
    }
    slot -= 1;
    for (;;) {
      beats.push(slot);
      const origin = origins[slot * INTERVALS + index]!;
      if (origin === FROM_NOTHING) break;
      slot -= index + INTERVAL_MIN;
      index += origin;
    }
  }
  return beats.reverse();
}

function makeChangeCosts(): Float32Array {
  const costs = new Float32Array(INTERVALS * INTERVALS);
  for (let from = 0; from < INTERVALS; from++) {
    for (let to = 0; to < INTERVALS; to++) {
      const slots = Math.abs(from - to);
      const beyond = Math.max(0, slots - 1) / (to + INTERVAL_MIN);
      costs[from * INTERVALS + to] = slots === 0 ? 0 : ROUNDING_COST + CHANGE_COST * beyond;
    }
  }
  return costs;
}

/** Where the evidence peaks around a slot, in seconds: between slots by a parabola. */
export function refineBeat(logits: Float32Array, slot: number): number {
  let peak = slot;
  for (const near of [slot - 1, slot + 1]) if ((logits[near] ?? -99) > logits[peak]!) peak = near;
  const [left, middle, right] = [logits[peak - 1], logits[peak]!, logits[peak + 1]];
  if (left === undefined || right === undefined) return peak / SLOTS_PER_SECOND;
  const bend = left - 2 * middle + right;
  const shift = bend < -1e-6 ? (0.5 * (left - right)) / bend : 0;
  return (peak + Math.max(-0.5, Math.min(0.5, shift))) / SLOTS_PER_SECOND;
}
