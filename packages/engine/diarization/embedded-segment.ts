import type { SpeakerLinks } from "./same-speaker-links.ts";
import type { SpeakerSegment } from "./segment-speakers.ts";

/** A segment of one voice: its speaker embedding, and which other segments the windows attribute to the same speaker. */
export type EmbeddedSegment = Pick<SpeakerSegment, "from" | "to" | "seconds"> & {
  /** Of unit length; similar for the same speaker. */
  embedding: Float32Array;
  /** By the index of the other segment. */
  links: SpeakerLinks;
};

/** Cosine similarity of two unit vectors. */
export function findSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}

/** The weighted sum of vectors. */
export function sumUp(vectors: readonly Float32Array[], weights: ArrayLike<number>): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  vectors.forEach((vector, index) => {
    for (let n = 0; n < sum.length; n++) sum[n]! += weights[index]! * vector[n]!;
  });
  return sum;
}

export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(findSimilarity(vector, vector)) || 1;
  return vector.map((value) => value / length);
}
