import type { ReadonlySignal } from "@preact/signals";
import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { RowHeights } from "./visible-rows.ts";
import { joinLine, type Place, type WordsLines } from "./words-lines.ts";

const ROW_PX = 36;
const TEXT_ROW_PX = 22;
const LETTER_PX = 8;
const MARGIN_PX = 400;

/** A virtualised list: only lines near the viewport are rendered. */
export function WordsList({
  lines,
  current,
  isFollowing,
  onSeek,
  onKey,
  children,
}: {
  lines: WordsLines;
  current: ReadonlySignal<Place | undefined>;
  isFollowing: ReadonlySignal<boolean>;
  onSeek: (place: Place) => void;
  onKey: (event: KeyboardEvent) => void;
  children: (index: number) => ComponentChildren;
}) {
  const view = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600, width: 700 });
  const [, setMeasured] = useState(0);
  const heights = useMemo(() => {
    const letters = Math.max(10, (scroll.width - 120) / LETTER_PX);
    const rowsOf = (index: number) => Math.ceil(joinLine(lines[index] ?? { words: [] }).length / letters);
    return new RowHeights(lines.length, (index) => ROW_PX + (rowsOf(index) - 1) * TEXT_ROW_PX);
    // Measured heights stay while times and texts change: what is above an edited line must not move.
  }, [lines.length, scroll.width]);
  const { first, behind } = heights.findVisible({ ...scroll, margin: MARGIN_PX });

  useLayoutEffect(() => {
    const box = view.current;
    if (!box) return undefined;
    const look = () => setScroll({ top: box.scrollTop, height: box.clientHeight, width: box.clientWidth });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const rows = [...(view.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const measured = rows.map((row) => [Number(row.dataset.row), row.offsetHeight] as const);
    if (heights.measure(measured)) setMeasured((count) => count + 1);
  });

  useEffect(() => {
    const box = view.current;
    // One listener for ten thousand words; on the keyboard they are reached with the arrow keys.
    const click = ({ target }: MouseEvent) => {
      const word = (target as Element).closest<HTMLElement>("[data-word]");
      const row = word?.closest<HTMLElement>("[data-row]");
      if (word && row) onSeek({ line: Number(row.dataset.row), word: Number(word.dataset.word) });
    };
    box?.addEventListener("click", click);
    return () => box?.removeEventListener("click", click);
  });

  const followed = useRef(-1);
  useSignalEffect(() => {
    const line = current.value?.line;
    const box = view.current;
    if (line === undefined || !box || !isFollowing.value || line === followed.current) return;
    followed.current = line;
    const top = heights.topOf(line);
    const isSeen =
      top >= box.scrollTop + 40 && heights.topOf(line + 1) <= box.scrollTop + box.clientHeight - 80;
    if (!isSeen) box.scrollTo({ top: top - box.clientHeight / 3 });
  });

  return (
    <section
      class="words-list"
      ref={view}
      aria-label="Words; arrow keys go from word to word, space plays, Enter edits the line"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled, and its words reached, with the keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: box }) =>
        setScroll({ top: box.scrollTop, height: box.clientHeight, width: box.clientWidth })
      }
      onKeyDown={onKey}
    >
      <div style={{ height: `${heights.topOf(first)}px` }} />
      {Array.from({ length: behind - first }, (_, n) => (
        <div key={first + n} data-row={first + n}>
          {children(first + n)}
        </div>
      ))}
      <div style={{ height: `${heights.totalHeight - heights.topOf(behind)}px` }} />
    </section>
  );
}
