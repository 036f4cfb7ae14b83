import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../parts/Button.tsx";
import { type TrackMix, UNTOUCHED } from "../../../player/mix.ts";
import type { Loop, Player } from "../../../player/player.ts";
import {
  countReadyFrames,
  type PlayablePreviews,
  type PreviewSource,
} from "../../../player/preview-source.ts";
import { renderMix } from "../../../player/render-mix.ts";
import { KeysDialog } from "./KeysDialog.tsx";
import { findNeighbour, type Lane } from "./lane.ts";
import { saveBlob } from "./save-blob.ts";
import { Timeline } from "./Timeline.tsx";
import type { Drawing } from "./TrackCanvas.tsx";
import { TransportBar } from "./TransportBar.tsx";
import { useDrawings } from "./use-drawings.ts";
import { useMixerKeys } from "./use-mixer-keys.ts";
import { followView, type View, zoomView } from "./view.ts";

const SHOWN_INTERVAL_MS = 50;
const NEW_LOOP_SECONDS = 10;

export function Mixer({
  name,
  player,
  source,
  previews,
  lanes,
  picture,
}: {
  name: string;
  player: Player;
  source: PreviewSource;
  previews: PlayablePreviews;
  /** Information along the timeline. */
  lanes: readonly Lane[];
  picture?: ComponentChildren;
}) {
  const { frames, sampleRate, tracks } = previews;
  const [view, setView] = useState<View>({ start: 0, end: frames });
  // Signals: at twenty updates a second, only what shows them is rendered again.
  const frame = useSignal(0);
  const levelDb = useSignal(Number.NEGATIVE_INFINITY);
  const [kind, setKind] = useState<Drawing["kind"]>("waveform");
  const [isShowingKeys, setShowingKeys] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const lastLoop = useRef<Loop | null>(null);
  const drawingOf = useDrawings(source, previews, { view, kind });
  const readyFrames = countReadyFrames(previews);
  const mix = player.mix.value;
  const state = player.state.value;
  const loop = player.loop.value;
  if (loop) lastLoop.current = loop;

  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return;
      const { position } = player;
      frame.value = position;
      levelDb.value = player.measureDb();
      if (player.state.peek() === "playing") setView((was) => followView(was, position, frames));
    }, SHOWN_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [player, frames]);

  useEffect(() => {
    const box = root.current;
    // After a click on a button the space bar should still play, so only the keyboard focuses buttons.
    const takeFocus = (event: MouseEvent) => {
      if (!(event.target as Element).closest("button")) return;
      event.preventDefault();
      box?.focus({ preventScroll: true });
    };
    box?.addEventListener("mousedown", takeFocus);
    return () => box?.removeEventListener("mousedown", takeFocus);
  }, []);

  const change = (id: string, changes: Partial<TrackMix>) =>
    player.setMix({ ...player.mix.value, [id]: { ...UNTOUCHED, ...player.mix.value[id], ...changes } });
  const toggle = () => (player.state.value === "stopped" ? player.play() : player.pause());
  const seek = (to: number) => {
    player.seek(to);
    frame.value = player.position;
    setView((was) => followView(was, player.position, frames));
  };
  const zoom = (factor: number) =>
    setView(zoomView(view, factor, { anchor: frame.peek(), frames, sampleRate }));
  const markLoop = (edge: "start" | "end") => {
    const next = { ...(loop ?? { start: 0, end: frames }), [edge]: Math.round(player.position) };
    if (next.end > next.start) player.setLoop(next);
  };
  const toggleLoop = () => {
    const from = Math.round(player.position);
    const fresh = { start: from, end: Math.min(frames, from + NEW_LOOP_SECONDS * sampleRate) };
    player.setLoop(loop ? null : (lastLoop.current ?? fresh));
  };
  const seekLine = (direction: -1 | 1) => {
    const words = lanes.find((lane) => lane.kind === "words");
    const lines = words?.groups ?? words?.items ?? [];
    const at = findNeighbour(lines, player.position / sampleRate, direction);
    if (at !== undefined) seek(at * sampleRate);
  };
  useMixerKeys({
    ...{ player, tracks, frames, sampleRate, toggle, seek, seekLine, change, markLoop, toggleLoop, zoom },
    switchDrawing: () => setKind(kind === "waveform" ? "spectrogram" : "waveform"),
    showKeys: () => setShowingKeys(true),
  });

  const save = async (part: string, range: { start: number; end: number }) =>
    saveBlob(await renderMix({ store: player.openStore(), previews, mix }, range), `${name} ${part}.wav`);

  return (
    <div class="stack mixer" ref={root} tabIndex={-1}>
      {picture}
      <TransportBar
        state={state}
        frame={frame}
        sampleRate={sampleRate}
        duration={frames / sampleRate}
        ready={readyFrames / sampleRate}
        levelDb={levelDb}
        loop={loop}
        isNulling={player.isNulling.value}
        drawing={kind}
        onToggle={toggle}
        onZoom={zoom}
        onMarkLoop={markLoop}
        onToggleLoop={toggleLoop}
        onNull={() => player.setNulling(!player.isNulling.value)}
        onDrawing={setKind}
        onKeys={() => setShowingKeys(true)}
      />
      <Timeline
        previews={previews}
        mix={mix}
        drawingOf={drawingOf}
        lanes={lanes}
        view={view}
        frame={frame}
        loop={loop}
        onView={setView}
        onChange={change}
        onSeek={seek}
        onLoop={(next) => player.setLoop(next)}
      />
      <div class="row row-wrap">
        <Button
          isSmall
          icon="download"
          isDisabled={readyFrames === 0}
          onClick={() => save("mix", { start: 0, end: readyFrames })}
        >
          {readyFrames < frames ? "Save the mix so far as wav" : "Save the mix as wav"}
        </Button>
        {loop && (
          <Button isSmall icon="download" onClick={() => save("loop", loop)}>
            Save the loop as wav
          </Button>
        )}
      </div>
      {isShowingKeys && <KeysDialog onClose={() => setShowingKeys(false)} />}
    </div>
  );
}
