import { findKeptWords, type KeptWord } from "./least-edits.ts";

/** A run of words common to two texts: `length` words, from `first` in the one and `second` in the other. */
export type CommonRun = { first: number; second: number; length: number };

/** A run of this many words hardly occurs twice by chance. */
const ROW_WORDS = 3;
/** The largest block that is compared word by word: a song with itself, or two minutes of speech. */
const BLOCK_CELLS = 4_000_000;
/** The maximum edit distance of larger blocks: uses the same memory. */
const MAX_EDITS = Math.sqrt(BLOCK_CELLS);

/**
 * The runs of words that two texts share, in the order of both. Runs of three words that are unique in each text are matched first; only the parts
 * between them are compared word by word. So 20,000 words need no table of 20,000 × 20,000.
 */
export function findCommonRuns(first: readonly string[], second: readonly string[]): CommonRun[] {
  const runs: CommonRun[] = [];
  let at = { first: 0, second: 0 };
  const addBlock = (until: { first: number; second: number }) => {
    const block = { from: at, until };
    runs.push(...matchBlock(first, second, block));
  };
  for (const run of findUniqueRows(first, second)) {
    if (run.first < at.first || run.second < at.second) continue;
    addBlock(run);
    const length = countEqual(first, second, run);
    runs.push({ ...run, length });
    at = { first: run.first + length, second: run.second + length };
  }
  addBlock({ first: first.length, second: second.length });
  return joinRuns(runs);
}

/** The longest sequence of unique runs in the order of both texts. */
function findUniqueRows(first: readonly string[], second: readonly string[]): KeptWord[] {
  const places = findSingles(first);
  const others = findSingles(second);
  const pairs: KeptWord[] = [];
  for (const [row, place] of places) {
    const other = others.get(row);
    if (place !== undefined && other !== undefined) pairs.push({ first: place, second: other });
  }
  return longestRising(pairs.sort((a, b) => a.first - b.first));
}

/** The position of each run of words; undefined for those that occur twice. */
function findSingles(words: readonly string[]): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  for (let index = 0; index + ROW_WORDS <= words.length; index++) {
    const row = words.slice(index, index + ROW_WORDS).join(" ");
    places.set(row, places.has(row) ? undefined : index);
  }
  return places;
}

/** The longest increasing subsequence by second position (patience sorting). */
function longestRising(pairs: readonly KeptWord[]): KeptWord[] {
  const tops: number[] = [];
  const before: (number | undefined)[] = [];
  pairs.forEach(({ second }, index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? 0]?.second ?? 0) < second) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? undefined : tops[low - 1];
    tops[low] = index;
  });
  const chosen: KeptWord[] = [];
  for (let index = tops.at(-1); index !== undefined; index = before[index]) {
    const pair = pairs[index];
    if (pair !== undefined) chosen.unshift(pair);
  }
  return chosen;
}

function countEqual(first: readonly string[], second: readonly string[], at: KeptWord): number {
  let length = 0;
  while (at.first + length < first.length && first[at.first + length] === second[at.second + length])
    length++;
  return length;
}

/**
 * What all longest common subsequences of two blocks, weighted by letters, agree on. If a line occurs once in one text and twice in the other, it is
 * ambiguous which one is meant.
 */
function matchBlock(
  first: readonly string[],
  second: readonly string[],
  { from, until }: { from: KeptWord; until: KeptWord },
): CommonRun[] {
  const [rows, columns] = [until.first - from.first, until.second - from.second];
  if (rows <= 0 || columns <= 0) return [];
  if (rows * columns > BLOCK_CELLS) return matchLargeBlock(first, second, { from, until });
  const width = columns + 1;
  const letters = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    const word = first[from.first + row] ?? "";
    for (let column = columns - 1; column >= 0; column--) {
      const isEqual = word === second[from.second + column];
      const kept = isEqual ? (letters[(row + 1) * width + column + 1] ?? 0) + word.length : 0;
      const skipped = Math.max(
        letters[(row + 1) * width + column] ?? 0,
        letters[row * width + column + 1] ?? 0,
      );
      letters[row * width + column] = Math.max(kept, skipped);
    }
  }
  /** Words kept together from a position on are worth their letters. */
  const isKept = (row: number, column: number) => {
    const word = first[from.first + row] ?? "";
    const kept = (letters[(row + 1) * width + column + 1] ?? 0) + word.length;
    return word === second[from.second + column] && letters[row * width + column] === kept;
  };
  const earliest = new Set<number>();
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (isKept(row, column)) earliest.add(row++ * width + column++);
    else if (letters[row * width + column] === letters[(row + 1) * width + column]) row++;
    else column++;
  }
  const runs: CommonRun[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const best = letters[row * width + column];
    if (best === letters[(row + 1) * width + column]) row++;
    else if (best === letters[row * width + column + 1]) column++;
    else {
      const isCertain = earliest.has(row * width + column);
      if (isCertain) runs.push({ first: from.first + row, second: from.second + column, length: 1 });
      row++;
      column++;
    }
  }
  return runs;
}

/** The same for blocks whose table would be too large, by words, if they are similar: an hour of recurring lines. */
function matchLargeBlock(
  first: readonly string[],
  second: readonly string[],
  { from, until }: { from: KeptWord; until: KeptWord },
): CommonRun[] {
  const [one, other] = [first.slice(from.first, until.first), second.slice(from.second, until.second)];
  const earliest = findKeptWords(one, other, MAX_EDITS) ?? [];
  const latest = findKeptWords(one.toReversed(), other.toReversed(), MAX_EDITS) ?? [];
  const partners = new Map(
    latest.map((place) => [one.length - 1 - place.first, other.length - 1 - place.second]),
  );
  return earliest
    .filter((place) => partners.get(place.first) === place.second)
    .map((place) => ({ first: from.first + place.first, second: from.second + place.second, length: 1 }));
}

/** Merges runs that are adjacent in both texts. */
function joinRuns(runs: readonly CommonRun[]): CommonRun[] {
  const joined: CommonRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last && last.first + last.length === run.first && last.second + last.length === run.second) {
      last.length += run.length;
    } else joined.push({ ...run });
  }
  return joined;
}
