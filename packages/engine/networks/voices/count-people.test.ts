import { expect, it } from "vitest";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { countPeople } from "./count-people.ts";
import type { HeardVoice } from "./merge-groups.ts";

const DIMENSIONS = 128;
const random = makeSeededRandom(11);
/** Near enough to a bell curve. */
const makeNoise = () => Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
const toUnit = (vector: Float32Array) => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};
const common = toUnit(makeNoise());
const add = (...parts: readonly (readonly [number, Float32Array])[]) =>
  toUnit(common.map((_, n) => parts.reduce((sum, [share, part]) => sum + share * part[n]!, 0)));
/** As x-vectors are: windows of one person are alike by 0.5, those of two by 0.2, for they have the recording in common. */
const makePerson = () => add([Math.sqrt(0.4), common], [Math.sqrt(0.6), toUnit(makeNoise())]);
const hear = (person: Float32Array) => add([Math.SQRT1_2, person], [Math.SQRT1_2, toUnit(makeNoise())]);

/** Turns of some windows of 1.5 s each, half over each other; each turn begins where the last one ended. */
function talk(turns: readonly { person: Float32Array; windows: number }[]): HeardVoice[] {
  let startSeconds = 0;
  return turns.flatMap(({ person, windows }) =>
    Array.from({ length: windows }, () => {
      startSeconds += 0.75;
      return { embedding: hear(person), speechSeconds: 0.75, startSeconds, endSeconds: startSeconds + 1.5 };
    }),
  );
}

it("[VO2] counts people whose windows are as unlike as those of x-vectors", () => {
  for (const count of [1, 2, 3, 4, 6]) {
    const people = Array.from({ length: count }, makePerson);
    const turns = Array.from({ length: 24 }, (_, turn) => ({ person: people[turn % count]!, windows: 6 }));
    expect(countPeople(talk(turns), 3)).toBe(count);
  }
});

it("[VO2] who says less than a person has to is not counted, and nobody is nobody", () => {
  const [a, b, short] = [makePerson(), makePerson(), makePerson()];
  const turns = [a, b, a, b, short, a, b].map((person) => ({ person, windows: person === short ? 2 : 8 }));
  expect(countPeople(talk(turns), 3)).toBe(2);
  expect(countPeople([], 3)).toBe(0);
  expect(countPeople(talk([{ person: a, windows: 1 }]), 3)).toBe(1);
});

it("[VO2] windows with a change of the speaker in them are not people of their own", () => {
  for (const count of [2, 3, 4]) {
    const people = Array.from({ length: count }, makePerson);
    const turns = Array.from({ length: 24 }, (_, turn) => {
      const [person, next] = [people[turn % count]!, people[(turn + 1) % count]!];
      return [
        { person, windows: 4 },
        { person: add([0.5, person], [0.5, next]), windows: 1 },
      ];
    });
    expect(countPeople(talk(turns.flat()), 3)).toBe(count);
  }
});
