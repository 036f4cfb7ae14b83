import { type EmbeddedSegment, findSimilarity, sumUp, toUnit } from "./embedded-segment.ts";

const ROUNDS = 2;

/** Assigns each segment to the nearest voice. People are numbered in the order they first speak. */
export function labelClusters(
  segments: readonly EmbeddedSegment[],
  people: readonly (readonly number[])[],
): number[] {
  const toVoice = (group: readonly number[]) =>
    toUnit(
      sumUp(
        group.map((index) => segments[index]!.embedding),
        group.map((index) => segments[index]!.seconds),
      ),
    );
  let groups = people;
  let names: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const voices = groups.map(toVoice);
    names = segments.map(({ embedding }) =>
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
