/** A word of one text and its counterpart in the other. */
export type KeptWord = { first: number; second: number };

/**
 * The words that two texts keep in common under the fewest insertions and deletions (Myers, "An O(ND) Difference Algorithm"). Time and memory grow with
 * the edits, not with the product of the lengths. Undefined if there are more than `editsMax`, whose square is the memory needed.
 */
export function findKeptWords(
  first: readonly string[],
  second: readonly string[],
  editsMax: number,
): KeptWord[] | undefined {
  /** The furthest position in the first text on each diagonal (position in the first minus that in the second). */
  const reached = new Int32Array(2 * editsMax + 3);
  const centre = editsMax + 1;
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= editsMax; edits++) {
    steps.push(reached.slice(centre - edits - 1, centre + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let row = isPutIn(reached, centre + diagonal, { diagonal, edits })
        ? (reached[centre + diagonal + 1] ?? 0)
        : (reached[centre + diagonal - 1] ?? 0) + 1;
      while (row < first.length && row - diagonal < second.length && first[row] === second[row - diagonal])
        row++;
      reached[centre + diagonal] = row;
      if (row >= first.length && row - diagonal >= second.length)
        return walkBack(steps, { first: first.length, second: second.length });
    }
  }
  return undefined;
}

/** Whether the furthest point on a diagonal is reached by an insertion from the second text rather than a deletion from the first. */
function isPutIn(
  reached: Int32Array,
  at: number,
  { diagonal, edits }: { diagonal: number; edits: number },
): boolean {
  return diagonal === -edits || (diagonal !== edits && (reached[at - 1] ?? 0) < (reached[at + 1] ?? 0));
}

function walkBack(steps: readonly Int32Array[], end: KeptWord): KeptWord[] {
  const kept: KeptWord[] = [];
  let { first, second } = end;
  for (const [edits, before] of [...steps.entries()].reverse()) {
    const centre = edits + 1;
    const diagonal = first - second;
    const isIn = isPutIn(before, centre + diagonal, { diagonal, edits });
    const from = diagonal + (isIn ? 1 : -1);
    const start = before[centre + from] ?? 0;
    const isFirst = edits === 0;
    while (first > (isFirst ? 0 : start + (isIn ? 0 : 1))) kept.push({ first: --first, second: --second });
    if (!isFirst) [first, second] = [start, start - from];
  }
  return kept.reverse();
}
