import { findLast } from "../../../words/words-lines.ts";

/** An item with start and end, in seconds of the recording. */
export type LaneItem = {
  start: number;
  end: number;
  text: string;
  /** One of eight colours. */
  hue?: number;
};

/** Information about a recording along the timeline; items sorted by start. */
export type Lane = {
  id: string;
  title: string;
  kind: "music" | "words" | "voice";
  items: readonly LaneItem[];
  /** Of a voice: the name of its files. */
  voice?: string;
  /** The same in longer pieces, such as lines of words, for when single items would be too narrow to read. */
  groups?: readonly LaneItem[];
};

/** Width an item needs to be readable. */
const READABLE_PX = 36;
/** Items closer than this are drawn as one. */
const JOINED_PX = 2;

export type Span = { start: number; end: number };

/** The items that overlap a range. */
export function listWithin(items: readonly LaneItem[], { start, end }: Span): readonly LaneItem[] {
  const behind = findLast(items.length, (n) => (items[n]?.start ?? 0) < end) + 1;
  // An earlier item may extend into it; items hardly overlap, so it is close.
  const first = Math.max(0, findLast(items.length, (n) => (items[n]?.start ?? 0) <= start) - 4);
  return items.slice(first, behind).filter((item) => item.end > start);
}

/** What to draw of a lane: single items if readable, else groups; items too narrow to distinguish are merged. */
export function toBlocks({ items, groups }: Lane, view: Span, widthPx: number): LaneItem[] {
  const pixelSeconds = (view.end - view.start) / Math.max(1, widthPx);
  const single = listWithin(items, view);
  const isReadable = !groups || single.length * READABLE_PX <= widthPx;
  const blocks: LaneItem[] = [];
  for (const item of isReadable ? single : listWithin(groups, view)) {
    const last = blocks.at(-1);
    const isNarrow = item.end - item.start < JOINED_PX * pixelSeconds;
    const isClose = last !== undefined && item.start - last.end < JOINED_PX * pixelSeconds;
    if (last && isClose && (isNarrow || last.text === "") && last.hue === item.hue)
      blocks[blocks.length - 1] = { ...last, end: Math.max(last.end, item.end), text: "" };
    else blocks.push(item);
  }
  return blocks;
}

/** The start of the item before or after a time. */
export function findNeighbour(
  items: readonly LaneItem[],
  seconds: number,
  direction: -1 | 1,
): number | undefined {
  if (direction === 1)
    return items[findLast(items.length, (n) => (items[n]?.start ?? 0) <= seconds + 0.01) + 1]?.start;
  // Back to an item's start from within it, and to the previous one from near its start.
  return items[findLast(items.length, (n) => (items[n]?.start ?? 0) < seconds - 0.5)]?.start;
}
