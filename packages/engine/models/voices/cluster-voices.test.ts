import { expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { type ClusterRules, clusterVoices, findBestAssignment, type LocalVoice } from "./cluster-voices.ts";

const RULES: ClusterRules = {
  leastSimilarity: 0.5,
  reliableSeconds: 1,
  leastSpeechSeconds: 2,
  voicesMax: 8,
};
const random = makeSeededRandom(7);
const DIMENSIONS = 32;
const toUnit = (vector: Float32Array) => vector.map((value) => value / Math.hypot(...vector));
const makePerson = () => toUnit(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
const hear = (
  person: Float32Array,
  window: number,
  options: { noise?: number; speechSeconds?: number } = {},
): LocalVoice => {
  const { noise = 0.12, speechSeconds = 3 } = options;
  return {
    window,
    speechSeconds,
    embedding: toUnit(person.map((value) => value + noise * (random() - 0.5))),
  };
};

it("finds out how many people speak, and who is who", () => {
  for (const count of [1, 2, 3, 5, 8]) {
    const people = Array.from({ length: count }, makePerson);
    const said = Array.from({ length: 40 }, (_, window) => window % count);
    const voices = said.map((who, window) => hear(people[who]!, window));
    expect(clusterVoices(voices, RULES)).toEqual(said);
  }
});

it("never takes two voices of one window for one person, however alike", () => {
  const person = makePerson();
  const voices = [0, 1, 2, 3].flatMap((window) => [hear(person, window), hear(person, window)]);
  const labels = clusterVoices(voices, RULES);
  for (const window of [0, 1, 2, 3]) expect(labels[2 * window]).not.toBe(labels[2 * window + 1]);
});

it("a word of too little speech makes no person of its own, but goes to the nearest", () => {
  const [a, b] = [makePerson(), makePerson()];
  const voices = [
    hear(a, 0),
    hear(b, 1),
    hear(a, 2),
    hear(b, 3),
    hear(b, 4, { noise: 0.5, speechSeconds: 0.3 }),
  ];
  expect(clusterVoices(voices, RULES)).toEqual([0, 1, 0, 1, 1]);
});

it("makes exactly as many people as it is told", () => {
  const people = Array.from({ length: 4 }, makePerson);
  const voices = Array.from({ length: 24 }, (_, window) => hear(people[window % 4]!, window));
  expect(new Set(clusterVoices(voices, { ...RULES, voiceCount: 2 })).size).toBe(2);
  expect(new Set(clusterVoices(voices, { ...RULES, voiceCount: 4 })).size).toBe(4);
  expect(clusterVoices([], RULES)).toEqual([]);
});

it("assigns so that the sum is greatest, not each by itself", () => {
  expect(
    findBestAssignment([
      [0.9, 0.8],
      [0.85, 0.1],
    ]),
  ).toEqual([1, 0]);
  expect(findBestAssignment([[0.9], [0.2]])).toEqual([0, 0]);
});
