import { describe, expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { TokenChoice } from "./token-choice.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";

const tokenizer = { endOfText: 4 } as WhisperTokenizer;
const choice = new TokenChoice(tokenizer, { suppressed: [1], suppressedAtStart: [4] });
const logits = Float32Array.of(1, 9, 2, 0, 3, 8);
const greedy = { isFirst: false, temperature: 0, random: () => 0, boosts: new Map<number, number>() };

describe("[V5] the next token", () => {
  it("is the most probable allowed token, with its probability among the allowed ones", () => {
    const { id, logProb } = choice.choose(logits, greedy);
    expect(id).toBe(4);
    const sum = [1, 2, 0, 3].reduce((total, value) => total + Math.exp(value), 0);
    expect(logProb).toBeCloseTo(Math.log(Math.exp(3) / sum), 6);
    expect(choice.choose(logits, { ...greedy, isFirst: true }).id).toBe(2);
  });

  it("[V10] can be a boosted token if it is allowed; the boost is not part of its probability", () => {
    const boost = (id: number, by: number) =>
      choice.choose(logits, { ...greedy, boosts: new Map([[id, by]]) });
    expect(boost(2, 0.9).id).toBe(4);
    const { id, logProb } = boost(2, 1.1);
    expect(id).toBe(2);
    expect(logProb).toBeCloseTo(choice.choose(logits, greedy).logProb - 1, 6);
    expect(boost(1, 9).id).toBe(4);
  });

  it("is sampled at a temperature, reproducibly for a seed, and never a suppressed one", () => {
    const draw = (seed: number) => {
      const random = makeSeededRandom(seed);
      return Array.from(
        { length: 200 },
        () => choice.choose(logits, { ...greedy, temperature: 1, random }).id,
      );
    };
    expect(draw(7)).toEqual(draw(7));
    expect(new Set(draw(7))).toEqual(new Set([0, 2, 3, 4]));
  });
});
