import { type EmbeddedSegment, findSimilarity, sumUp } from "./embedded-segment.ts";
import type { Merge } from "./merge-clusters.ts";

/** Longer segments do not give a better embedding. */
const WELL_KNOWN_SECONDS = 3;
/** Prior similarity of one speaker's segments, and the weight of that prior. */
const USUAL_SIMILARITY = 0.5;
const USUAL_PAIRS = 4;
/** From this value on, a window's link counts as proof that two segments are one speaker's. */
const SURE_LINK = 0.6;
/** Scale of the links between two groups. */
const LINK_SCALE = 3;
const MAX_LINKED = 3;
/** Log-odds saturate here: no merge is surer than four hundred to one. */
const SUREST = 6;
const MIN_WITHIN = 0.02;

/**
 * The log-odds that two groups are one speaker's: a logistic regression on the merges of 144 generated conversations of development speakers
 * (training/runs/voices.md), with a constant 0.2 above the fit: without it, branches chosen by themselves count too many speakers (decision 113).
 * The same similarity means less for short groups, and less where one speaker's segments are very similar.
 */
const ODDS = {
  similarity: 8.403,
  ratio: 4.639,
  within: 0.482,
  logShorterSeconds: -1.012,
  logLongerSeconds: -0.814,
  usual: -6.059,
  linked: 0.554,
  constant: 0.242,
};

/** Weight of a segment. */
export const weigh = ({ seconds }: EmbeddedSegment) => Math.min(WELL_KNOWN_SECONDS, seconds);

/** Estimates the odds that groups of segments are one speaker's. */
export class MergeOdds {
  readonly #segments: readonly EmbeddedSegment[];
  readonly #timeScale: number;
  /** Similarity of one speaker's segments in this recording, from segments that windows link. */
  readonly #usual: number;

  /** Links refer to segments by their index in this list. Groups count as `timeScale` times as long as they are. */
  constructor(segments: readonly EmbeddedSegment[], { timeScale }: { timeScale: number }) {
    this.#segments = segments;
    this.#timeScale = timeScale;
    let [sum, pairs] = [USUAL_SIMILARITY * USUAL_PAIRS, USUAL_PAIRS];
    segments.forEach(({ embedding, links }, a) => {
      for (const [b, link] of links) {
        const other = segments[b];
        if (other === undefined || b <= a || link <= SURE_LINK) continue;
        sum += findSimilarity(embedding, other.embedding);
        pairs += 1;
      }
    });
    this.#usual = sum / pairs;
  }

  /** Log-odds, between −`SUREST` and `SUREST`. */
  find({ kept, gone }: Merge): number {
    const [a, b] = [this.#addUp(kept), this.#addUp(gone)];
    const similarity = findSimilarity(a.sum, b.sum) / (a.weight * b.weight);
    const [within, other] = [this.#findWithin(a), this.#findWithin(b)];
    const odds =
      ODDS.similarity * similarity +
      (ODDS.ratio * similarity) / Math.sqrt(Math.max(MIN_WITHIN, within * other)) +
      ODDS.within * (within + other) +
      ODDS.logShorterSeconds * Math.log(Math.min(a.seconds, b.seconds)) +
      ODDS.logLongerSeconds * Math.log(Math.max(a.seconds, b.seconds)) +
      ODDS.usual * this.#usual +
      ODDS.linked * this.#findLinked(kept, gone) +
      ODDS.constant;
    return SUREST * Math.tanh(odds / SUREST);
  }

  #addUp(group: readonly number[]) {
    const segments = group.map((index) => this.#segments[index]!);
    const weights = segments.map(weigh);
    return {
      sum: sumUp(
        segments.map(({ embedding }) => embedding),
        weights,
      ),
      weight: weights.reduce((total, weight) => total + weight, 0),
      squares: weights.reduce((total, weight) => total + weight ** 2, 0),
      seconds: this.#timeScale * segments.reduce((total, { seconds }) => total + seconds, 0),
    };
  }

  /** Mean similarity of a group's pairs, shrunk towards the usual one if there are few. */
  #findWithin({ sum, weight, squares }: { sum: Float32Array; weight: number; squares: number }): number {
    const similarities = (findSimilarity(sum, sum) - squares) / 2;
    const pairs = (weight ** 2 - squares) / 2;
    return (similarities + USUAL_PAIRS * this.#usual) / (pairs + USUAL_PAIRS);
  }

  #findLinked(kept: readonly number[], gone: readonly number[]): number {
    const others = new Set(gone);
    let sum = 0;
    for (const index of kept) {
      const segment = this.#segments[index]!;
      for (const [other, link] of segment.links)
        if (others.has(other)) sum += link * weigh(segment) * weigh(this.#segments[other]!);
    }
    return Math.min(MAX_LINKED, Math.max(-MAX_LINKED, sum / LINK_SCALE));
  }
}
