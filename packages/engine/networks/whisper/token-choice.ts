import type { WhisperTokenizer } from "./tokenizer.ts";
import type { WhisperSettings } from "./whisper-settings.ts";

export type ChosenToken = {
  id: number;
  /** The natural logarithm of its probability among the tokens that may be written. */
  logProb: number;
};

/** Chooses the next token: text or the end, never a timestamp, a command or a suppressed token. */
export class TokenChoice {
  readonly #candidates: Int32Array;
  readonly #firstCandidates: Int32Array;

  constructor(tokenizer: WhisperTokenizer, settings: WhisperSettings) {
    const suppressed = new Set(settings.suppressed);
    const ids = Array.from({ length: tokenizer.endOfText + 1 }, (_, id) => id);
    const candidates = ids.filter((id) => !suppressed.has(id));
    this.#candidates = Int32Array.from(candidates);
    this.#firstCandidates = Int32Array.from(
      candidates.filter((id) => !settings.suppressedAtStart.includes(id)),
    );
  }

  /** The most probable token; above temperature zero, one sampled with `random`. */
  choose(
    logits: Float32Array,
    options: {
      isFirst: boolean;
      temperature: number;
      random: () => number;
      /** Added to some logits when the most probable token is chosen; not part of the returned probability. */
      boosts: ReadonlyMap<number, number>;
    },
  ): ChosenToken {
    const candidates = options.isFirst ? this.#firstCandidates : this.#candidates;
    const best = findBest(logits, candidates);
    const id =
      options.temperature === 0
        ? findBoosted(logits, { candidates, best, boosts: options.boosts })
        : draw(logits, { candidates, best, ...options });
    let sum = 0;
    for (const candidate of candidates) sum += Math.exp(logits[candidate]! - logits[best]!);
    return { id, logProb: logits[id]! - logits[best]! - Math.log(sum) };
  }
}

function findBest(logits: Float32Array, candidates: Int32Array): number {
  let best = candidates[0]!;
  for (const candidate of candidates) if (logits[candidate]! > logits[best]!) best = candidate;
  return best;
}

function findBoosted(
  logits: Float32Array,
  options: { candidates: Int32Array; best: number; boosts: ReadonlyMap<number, number> },
): number {
  const { candidates, best, boosts } = options;
  const rate = (id: number) => logits[id]! + (boosts.get(id) ?? 0);
  let boosted = best;
  for (const id of boosts.keys()) if (rate(id) > rate(boosted) && candidates.includes(id)) boosted = id;
  return boosted;
}

function draw(
  logits: Float32Array,
  options: { candidates: Int32Array; best: number; temperature: number; random: () => number },
): number {
  const { candidates, best, temperature, random } = options;
  const weigh = (candidate: number) => Math.exp((logits[candidate]! - logits[best]!) / temperature);
  let sum = 0;
  for (const candidate of candidates) sum += weigh(candidate);
  let rest = random() * sum;
  for (const candidate of candidates) {
    rest -= weigh(candidate);
    if (rest <= 0) return candidate;
  }
  return best;
}
