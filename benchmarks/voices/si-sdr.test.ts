import { expect, it } from "vitest";
import { makeSeededRandom } from "../../packages/engine/dsp/seeded-random.ts";
import { findImprovement } from "./si-sdr.ts";

const random = makeSeededRandom(11);
const makeNoise = () => Float32Array.from({ length: 4000 }, () => random() - 0.5);
const [first, second, third] = [makeNoise(), makeNoise(), makeNoise()];
const people = [first, second, third];
const mix = first.map((value, n) => value + (second[n] ?? 0) + (third[n] ?? 0));

it("whichever person is missing, the voices found are compared with their own people", () => {
  const without = [0, 1, 2].map((missing) =>
    findImprovement(
      people,
      mix,
      people.filter((_, index) => index !== missing),
    ),
  );
  const all = findImprovement(people, mix, people);
  for (const gain of without) expect(gain / all).toBeCloseTo(2 / 3, 1);
});
