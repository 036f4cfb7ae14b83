import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatDuration } from "../../../parts/format.ts";
import { type Lane, toBlocks } from "./lane.ts";
import { toFrame, toPercent, type View } from "./view.ts";

/** Narrower ones would show half a letter. */
const READABLE_PX = 24;

/** A lane below the tracks; a click plays from the start of the item. */
export function LaneRow({
  lane,
  view,
  sampleRate,
  widthPx,
  frame,
  onSeek,
}: {
  lane: Lane;
  view: View;
  sampleRate: number;
  widthPx: number;
  /** The current position. */
  frame: ReadonlySignal<number>;
  onSeek: (frame: number) => void;
}) {
  const seconds = { start: view.start / sampleRate, end: view.end / sampleRate };
  const toPx = (length: number) => (length / (seconds.end - seconds.start)) * widthPx;
  // There may be thousands of items, and the current one changes now and then.
  const blocks = useMemo(() => toBlocks(lane, seconds, widthPx), [lane, seconds.start, seconds.end, widthPx]);
  const active = useMemo(
    () =>
      computed(() => {
        const now = frame.value / sampleRate;
        return blocks.find(({ start, end }) => now >= start && now < end);
      }),
    [blocks, frame, sampleRate],
  ).value;
  return (
    <li class="mixer-lane" data-kind={lane.kind}>
      <span class="mixer-lane-title truncate">{lane.title}</span>
      <div class="mixer-lane-items">
        {blocks.map((block) => {
          const { start, end, text, hue } = block;
          return (
            <button
              key={start}
              type="button"
              tabIndex={-1}
              class={`lane-block${hue === undefined ? "" : ` hue-${hue}`}`}
              data-active={block === active || undefined}
              title={text || formatDuration(start)}
              aria-label={`${text || lane.title}, ${formatDuration(start)}`}
              style={{
                left: toPercent(view, start * sampleRate),
                width: toPercent({ start: 0, end: view.end - view.start }, (end - start) * sampleRate),
              }}
              onClick={({ clientX, currentTarget }) => {
                const items = currentTarget.parentElement;
                // For a block that stands for many items, the position clicked; else its start.
                const at = text === "" && items ? toFrame(view, items, clientX) : start * sampleRate;
                onSeek(at);
              }}
            >
              {lane.kind === "words" && toPx(end - start) > READABLE_PX && (
                <span class="truncate">{text}</span>
              )}
            </button>
          );
        })}
      </div>
    </li>
  );
}
