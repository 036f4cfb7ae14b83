import { expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { type ClusterRules, clusterVoices, findLargest } from "./cluster-voices.ts";
import type { HeardVoice } from "./merge-groups.ts";

const RULES: ClusterRules = { leastSpeechSeconds: 4, voicesMax: 8 };
const random = makeSeededRandom(7);
const DIMENSIONS = 32;
/** Each is heard five seconds after the one before. */
let clockSeconds = 0;
const toUnit = (vector: Float32Array) => vector.map((value) => value / Math.hypot(...vector));
const makePerson = () => toUnit(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
const hear = (
  person: Float32Array,
  { noise = 0.12, speechSeconds = 3 }: { noise?: number; speechSeconds?: number } = {},
): HeardVoice => {
  clockSeconds += 5;
  return {
    speechSeconds,
    startSeconds: clockSeconds,
    endSeconds: clockSeconds + speechSeconds,
    embedding: toUnit(person.map((value) => value + noise * (random() - 0.5))),
  };
};
const label = (voices: readonly HeardVoice[], rules: Partial<ClusterRules> = {}) =>
  clusterVoices(voices, { ...RULES, ...rules }).likeness.map(findLargest);

it("finds out how many people speak, and who is who, in the order they are first heard", () => {
  for (const count of [1, 2, 3, 5, 8]) {
    const people = Array.from({ length: count }, makePerson);
    const said = Array.from({ length: 40 }, (_, turn) => turn % count);
    expect(label(said.map((who) => hear(people[who]!)))).toEqual(said);
  }
});

it("a word of too little speech makes no person of its own, but goes to the nearest", () => {
  const [a, b] = [makePerson(), makePerson()];
  const voices = [hear(a), hear(b), hear(a), hear(b), hear(b, { noise: 0.9, speechSeconds: 0.3 })];
  expect(label(voices)).toEqual([0, 1, 0, 1, 1]);
});

it("makes as many people as it is told, and at most as many as there may be", () => {
  const people = Array.from({ length: 4 }, makePerson);
  const voices = Array.from({ length: 24 }, (_, turn) => hear(people[turn % 4]!));
  expect(new Set(label(voices, { voiceCount: 2 })).size).toBe(2);
  expect(new Set(label(voices, { voiceCount: 4 })).size).toBe(4);
  expect(new Set(label(voices, { voicesMax: 3 })).size).toBe(3);
  expect(clusterVoices([], RULES).voiceCount).toBe(0);
});

it("where two are expected there are two, however little they differ, but not where one speaks", () => {
  const a = makePerson();
  const b = toUnit(a.map((value, n) => value + 0.7 * makePerson()[n]!));
  const both = Array.from({ length: 20 }, (_, turn) => hear(turn % 2 ? a : b));
  expect(new Set(label(both)).size).toBe(1);
  expect(new Set(label(both, { pairSimilarity: 0.85 })).size).toBe(2);
  expect(
    new Set(
      label(
        both.map(() => hear(a)),
        { pairSimilarity: 0.85 },
      ),
    ).size,
  ).toBe(1);
});

it("a stray sound does not take a person's place where two are wanted", () => {
  const [a, b, stray] = [makePerson(), makePerson(), makePerson()];
  const voices = [
    hear(stray, { speechSeconds: 1 }),
    ...Array.from({ length: 20 }, (_, n) => hear(n % 2 ? a : b)),
  ];
  const [, ...labels] = label(voices, { voicesMax: 2 });
  expect(labels.every((who, n) => who === labels[n % 2])).toBe(true);
  expect(labels[0]).not.toBe(labels[1]);
});
