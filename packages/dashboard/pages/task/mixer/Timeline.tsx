import type { ReadonlySignal } from "@preact/signals";
import type { PreviewTrack } from "@stemwright/sdk";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { findGain, type Mix, type TrackMix, UNTOUCHED } from "../../../player/mix.ts";
import type { Loop } from "../../../player/player.ts";
import type { PlayablePreviews } from "../../../player/preview-source.ts";
import { LaneRow } from "./LaneRow.tsx";
import type { Lane } from "./lane.ts";
import { Ruler } from "./Ruler.tsx";
import type { Drawing } from "./TrackCanvas.tsx";
import { nameTrack, TrackRow } from "./TrackRow.tsx";
import { placeView, toFrame, toPercent, type View, zoomView } from "./view.ts";

const WHEEL_ZOOM = 1.0015;

/** The audible tracks whose sound this one has as well. */
const listSharing = ({ within = [] }: PreviewTrack, tracks: readonly PreviewTrack[], mix: Mix) =>
  tracks.filter(({ id }) => within.includes(id) && findGain(mix, id) > 0);

function Playhead({ view, frame }: { view: View; frame: ReadonlySignal<number> }) {
  const { value } = frame;
  if (value < view.start || value > view.end) return null;
  return <span class="mixer-playhead" style={{ left: toPercent(view, value) }} />;
}

/** Ruler, tracks and lanes over one view of the recording, with loop and playhead across them. */
export function Timeline({
  previews,
  mix,
  drawingOf,
  lanes,
  view,
  frame,
  loop,
  onView,
  onChange,
  onSeek,
  onLoop,
}: {
  previews: PlayablePreviews;
  mix: Mix;
  drawingOf: (id: string) => Drawing;
  lanes: readonly Lane[];
  view: View;
  /** The current position. */
  frame: ReadonlySignal<number>;
  loop: Loop | null;
  onView: (view: View) => void;
  onChange: (id: string, changes: Partial<TrackMix>) => void;
  onSeek: (frame: number) => void;
  onLoop: (loop: Loop) => void;
}) {
  const { tracks, frames, sampleRate } = previews;
  const area = useRef<HTMLDivElement>(null);
  const lanesBox = useRef<HTMLDivElement>(null);
  const [widthPx, setWidth] = useState(800);

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const box = lanesBox.current;
    // Not passive: the browser would otherwise zoom or leave the page before preventDefault is called.
    const turn = (event: WheelEvent) => {
      const length = view.end - view.start;
      if (event.ctrlKey && area.current) {
        const anchor = toFrame(view, area.current, event.clientX);
        onView(zoomView(view, WHEEL_ZOOM ** event.deltaY, { anchor, frames, sampleRate }));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && length < frames) {
        onView(placeView(view.start + (event.deltaX / widthPx) * length, length, frames));
      } else return;
      event.preventDefault();
    };
    box?.addEventListener("wheel", turn, { passive: false });
    return () => box?.removeEventListener("wheel", turn);
  });

  const voices = new Map(lanes.flatMap(({ voice, title }) => (voice === undefined ? [] : [[voice, title]])));
  const clamp = (at: number) => Math.max(view.start, Math.min(view.end, at));
  const isLoopSeen = loop && loop.end > view.start && loop.start < view.end;
  return (
    <div class="card card-flush mixer-lanes" ref={lanesBox}>
      <div class="mixer-head">
        <div class="row mixer-captions" aria-hidden="true">
          <span class="mixer-gain">Gain</span>
          <span class="mixer-pan">Pan</span>
        </div>
        <Ruler view={view} sampleRate={sampleRate} widthPx={widthPx} onSeek={onSeek} onLoop={onLoop} />
      </div>
      <ul class="plain-list">
        {tracks.map((track, index) => (
          <TrackRow
            key={track.id}
            name={nameTrack(track, voices)}
            index={index}
            mix={mix[track.id] ?? UNTOUCHED}
            drawing={drawingOf(track.id)}
            isSilent={findGain(mix, track.id) === 0}
            sharing={listSharing(track, tracks, mix).map((other) => nameTrack(other, voices))}
            view={view}
            onChange={(changes) => onChange(track.id, changes)}
            onSeek={onSeek}
          />
        ))}
        {lanes.map((lane) => (
          <LaneRow
            key={lane.id}
            lane={lane}
            view={view}
            sampleRate={sampleRate}
            widthPx={widthPx}
            frame={frame}
            onSeek={onSeek}
          />
        ))}
      </ul>
      {view.end - view.start < frames && (
        <div class="mixer-head">
          <input
            type="range"
            class="mixer-scroll"
            aria-label="Range of the recording that is shown"
            min={0}
            max={frames - (view.end - view.start)}
            step={Math.max(1, Math.round((view.end - view.start) / 20))}
            value={view.start}
            onInput={({ currentTarget }) =>
              onView(placeView(Number(currentTarget.value), view.end - view.start, frames))
            }
          />
        </div>
      )}
      <div class="mixer-timeline" aria-hidden="true" ref={area}>
        {isLoopSeen && (
          <span
            class="mixer-loop"
            style={{
              left: toPercent(view, clamp(loop.start)),
              right: `calc(100% - ${toPercent(view, clamp(loop.end))})`,
            }}
          />
        )}
        <Playhead view={view} frame={frame} />
      </div>
    </div>
  );
}
