import { findSimilarity, type HeardStretch, sumUp, toUnit } from "./embedded-segment.ts";

const ROUNDS = 2;

/** Assigns each stretch to the nearest voice. People are numbered in the order they first speak. */
export function namePeople(
  stretches: readonly HeardStretch[],
  people: readonly (readonly number[])[],
): number[] {
  const toVoice = (group: readonly number[]) =>
    toUnit(
      sumUp(
        group.map((index) => stretches[index]!.embedding),
        group.map((index) => stretches[index]!.seconds),
      ),
    );
  let groups = people;
  let names: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const voices = groups.map(toVoice);
    names = stretches.map(({ embedding }) =>
      findLargest(voices.map((voice) => findSimilarity(embedding, voice))),
    );
    groups = groups.map((group, person) => {
      const own = [...names.keys()].filter((index) => names[index] === person);
      return own.length > 0 ? own : group;
    });
  }
  const order = [...new Set(names)];
  return names.map((name) => order.indexOf(name));
}

function findLargest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}
