import { findSimilarity, type HeardStretch, sumUp, toUnit } from "./heard-stretch.ts";

const ROUNDS = 2;

/** Who speaks in each stretch, by whose voice it is nearest to. People are numbered as they are first heard. */
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
