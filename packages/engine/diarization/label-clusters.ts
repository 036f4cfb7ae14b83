import { type EmbeddedSegment, findSimilarity, sumUp, toUnit } from "./embedded-segment.ts";

const ROUNDS = 2;

/** Assigns each segment to the nearest voice. Speakers are numbered in the order they first speak. */
export function labelClusters(
  segments: readonly EmbeddedSegment[],
  reliable: readonly (readonly number[])[],
): number[] {
  const toVoice = (cluster: readonly number[]) =>
    toUnit(
      sumUp(
        cluster.map((index) => segments[index]!.embedding),
        cluster.map((index) => segments[index]!.seconds),
      ),
    );
  let clusters = reliable;
  let labels: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const voices = clusters.map(toVoice);
    labels = segments.map(({ embedding }) =>
      findLargest(voices.map((voice) => findSimilarity(embedding, voice))),
    );
    clusters = clusters.map((cluster, speaker) => {
      const own = [...labels.keys()].filter((index) => labels[index] === speaker);
      return own.length > 0 ? own : cluster;
    });
  }
  const order = [...new Set(labels)];
  return labels.map((label) => order.indexOf(label));
}

function findLargest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}
