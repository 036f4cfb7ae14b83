import { useRef, useState } from "preact/hooks";
import type { Edge } from "./edit-times.ts";
import type { WordsLine } from "./words-lines.ts";

const KEY_STEP_SECONDS = 0.01;
const MARGIN_SECONDS = 0.4;
/** Closer together, the edges of short words could not be told apart; a long line is scrolled. */
const MIN_PX_PER_SECOND = 120;

/** The words of a line over time; their edges can be moved with the pointer or arrow keys. */
export function WordTimeline({
  line,
  room,
  onMove,
}: {
  line: WordsLine;
  room: { start: number; end: number };
  onMove: (move: { word: number; edge: Edge; seconds: number; isNew: boolean }) => void;
}) {
  const track = useRef<HTMLDivElement>(null);
  const { words } = line;
  /** The scale is frozen while an edge is dragged. */
  const [frozen, setFrozen] = useState<{ from: number; to: number }>();
  const { from, to } = frozen ?? {
    from: Math.max(room.start, (words[0]?.start ?? 0) - MARGIN_SECONDS),
    to: Math.min(room.end, (words.at(-1)?.end ?? 0) + MARGIN_SECONDS),
  };
  const share = (seconds: number) => ((seconds - from) / Math.max(0.001, to - from)) * 100;

  function drag(event: PointerEvent, word: number, edge: Edge) {
    const at = words[word]?.[edge];
    const widthPx = track.current?.clientWidth;
    if (event.button !== 0 || at === undefined || !widthPx) return;
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    setFrozen({ from, to });
    let isNew = true;
    const move = ({ clientX }: PointerEvent) => {
      const seconds = at + ((clientX - event.clientX) / widthPx) * (to - from);
      if (isNew && seconds === at) return;
      onMove({ word, edge, seconds, isNew });
      isNew = false;
    };
    const end = () => {
      setFrozen(undefined);
      handle.removeEventListener("pointermove", move);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", end, { once: true });
  }

  function step(event: KeyboardEvent, word: number, edge: Edge) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = words[word]?.[edge];
    if (direction === undefined || at === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const seconds = at + direction * KEY_STEP_SECONDS * (event.shiftKey ? 10 : 1);
    onMove({ word, edge, seconds, isNew: true });
  }

  return (
    <div class="word-scroll">
      <div class="word-track" ref={track} style={{ minWidth: `${(to - from) * MIN_PX_PER_SECOND}px` }}>
        {words.map(({ text, start, end, confidence }, word) => (
          <div
            key={word}
            class="word-block"
            data-estimated={confidence === 0 || undefined}
            style={{ left: `${share(start)}%`, width: `${share(end) - share(start)}%` }}
          >
            <span class="truncate">{text.trim()}</span>
            {(["start", "end"] as const).map((edge) => (
              <span
                key={edge}
                class={`word-edge word-edge-${edge}`}
                role="slider"
                tabIndex={0}
                aria-label={`${edge === "start" ? "Start" : "End"} of ${text.trim()}`}
                aria-valuemin={room.start}
                aria-valuemax={room.end}
                aria-valuenow={edge === "start" ? start : end}
                aria-valuetext={`${(edge === "start" ? start : end).toFixed(2)} s`}
                onPointerDown={(event) => drag(event, word, edge)}
                onKeyDown={(event) => step(event, word, edge)}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
