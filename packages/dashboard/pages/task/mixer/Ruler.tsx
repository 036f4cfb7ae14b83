import { useRef } from "preact/hooks";
import { formatDuration } from "../../../parts/format.ts";
import type { Loop } from "../../../player/player.ts";
import { listTicks } from "./ruler-ticks.ts";
import { toFrame, toPercent, type View } from "./view.ts";

/** Pixels a pointer must move to draw a loop; even a click moves a little. */
const DRAG_PX = 5;

const formatTick = (seconds: number, isFine: boolean) =>
  isFine
    ? `${formatDuration(Math.floor(seconds))}.${Math.round((seconds % 1) * 10)}`
    : formatDuration(seconds);

/** Times along the top. A click seeks, a drag makes a loop. */
export function Ruler({
  view,
  sampleRate,
  widthPx,
  onSeek,
  onLoop,
}: {
  view: View;
  sampleRate: number;
  widthPx: number;
  onSeek: (frame: number) => void;
  onLoop: (loop: Loop) => void;
}) {
  const down = useRef<{ x: number; frame: number; isDrag: boolean } | undefined>(undefined);
  const ticks = listTicks(view.start / sampleRate, view.end / sampleRate, widthPx);
  const isFine = ticks.some((tick) => tick % 1 !== 0);

  function begin(event: PointerEvent & { currentTarget: HTMLElement }) {
    event.currentTarget.setPointerCapture(event.pointerId);
    down.current = {
      x: event.clientX,
      frame: toFrame(view, event.currentTarget, event.clientX),
      isDrag: false,
    };
  }
  function move({ clientX, currentTarget }: PointerEvent & { currentTarget: HTMLElement }) {
    const from = down.current;
    if (!from) return;
    from.isDrag ||= Math.abs(clientX - from.x) > DRAG_PX;
    if (!from.isDrag) return;
    const edges = [from.frame, toFrame(view, currentTarget, clientX)].map((frame) =>
      Math.round(Math.max(view.start, Math.min(view.end, frame))),
    );
    const [start = 0, end = 0] = edges.toSorted((a, b) => a - b);
    if (end > start) onLoop({ start, end });
  }
  function finish({ clientX, currentTarget }: PointerEvent & { currentTarget: HTMLElement }) {
    if (down.current && !down.current.isDrag) onSeek(toFrame(view, currentTarget, clientX));
    down.current = undefined;
  }

  return (
    <div class="mixer-ruler">
      <div aria-hidden="true">
        {ticks.map((seconds) => (
          <span key={seconds} class="mixer-tick" style={{ left: toPercent(view, seconds * sampleRate) }}>
            {formatTick(seconds, isFine)}
          </span>
        ))}
      </div>
      <button
        type="button"
        tabIndex={-1}
        class="mixer-ruler-area"
        aria-label="Timeline: click to seek, drag to loop"
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={finish}
        onPointerCancel={() => {
          down.current = undefined;
        }}
      />
    </div>
  );
}
