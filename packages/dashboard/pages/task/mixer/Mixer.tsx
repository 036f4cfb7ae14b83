import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../../parts/Button.tsx";
import { copyText } from "../../../parts/copy-text.ts";
import { saveBlob } from "../../../parts/save-blob.ts";
import { announce } from "../../../parts/toast.ts";
import { listNullSet, makeMix, type TrackMix, UNTOUCHED } from "../../../player/mix.ts";
import type { Loop, Player } from "../../../player/player.ts";
import {
  countReadyFrames,
  type PlayablePreviews,
  type PreviewSource,
} from "../../../player/preview-source.ts";
import { renderMix } from "../../../player/render-mix.ts";
import { KeysDialog } from "./KeysDialog.tsx";
import { findNeighbour, type Lane } from "./lane.ts";
import {
  parseMixerState,
  readMixerState,
  storeMixerState,
  toMixerLink,
  writeMixerState,
} from "./mixer-state.ts";
import { NO_LEVELS, type ShownLevels } from "./PeakMeter.tsx";
import { Timeline } from "./Timeline.tsx";
import type { Drawing } from "./TrackCanvas.tsx";
import { TransportBar } from "./TransportBar.tsx";
import { useDrawings } from "./use-drawings.ts";
import { useMixerKeys } from "./use-mixer-keys.ts";
import { followView, type View, zoomView } from "./view.ts";

const SHOWN_INTERVAL_MS = 50;
const NEW_LOOP_SECONDS = 10;
const METER_MS = 300;
const STORED_INTERVAL_MS = 2000;

export function Mixer({
  name,
  player,
  source,
  previews,
  lanes,
  picture,
  stateId,
}: {
  name: string;
  player: Player;
  source: PreviewSource;
  previews: PlayablePreviews;
  /** Information along the timeline. */
  lanes: readonly Lane[];
  picture?: ComponentChildren;
  /** The Task whose mixer is found again as it was left; absent for a visitor. */
  stateId?: string | undefined;
}) {
  const { frames, sampleRate, tracks } = previews;
  const left = useMemo(
    () =>
      stateId === undefined
        ? {}
        : parseMixerState(readMixerState(stateId), { ids: tracks.map(({ id }) => id), frames }),
    [player],
  );
  const [view, setView] = useState<View>(left.view ?? { start: 0, end: frames });
  // Signals: at twenty updates a second, only what shows them is rendered again.
  const frame = useSignal(0);
  const levels = useSignal<ShownLevels>(NO_LEVELS);
  const peakFromMs = useRef(0);
  const [kind, setKind] = useState<Drawing["kind"]>(left.kind ?? "waveform");
  const [isShowingKeys, setShowingKeys] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const lastLoop = useRef<Loop | null>(null);
  const drawingOf = useDrawings(source, previews, { view, kind });
  const readyFrames = countReadyFrames(previews);
  const mix = player.mix.value;
  const state = player.state.value;
  const loop = player.loop.value;
  if (loop) lastLoop.current = loop;

  const writeState = () =>
    writeMixerState(
      { mix: player.mix.peek(), loop: player.loop.peek(), view, frame: player.position, kind },
      makeMix(previews),
    );
  const latestState = useRef(writeState);
  latestState.current = writeState;
  useEffect(() => {
    if (left.mix) player.setMix({ ...player.mix.peek(), ...left.mix });
    if (left.loop) player.setLoop(left.loop);
    if (left.frame !== undefined) player.seek(left.frame);
    if (stateId === undefined) return undefined;
    const store = () => storeMixerState(stateId, latestState.current());
    // Phones close pages without telling them.
    const timer = setInterval(store, STORED_INTERVAL_MS);
    addEventListener("pagehide", store);
    return () => {
      clearInterval(timer);
      removeEventListener("pagehide", store);
      store();
    };
  }, [player]);

  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return;
      const { position } = player;
      frame.value = position;
      const measured = player.measureLevels();
      const { highestDb } = levels.peek();
      const isNew = performance.now() >= peakFromMs.current;
      levels.value = { ...measured, highestDb: isNew ? Math.max(highestDb, measured.peakDb) : highestDb };
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

  const forgetPeak = () => {
    levels.value = NO_LEVELS;
    // What was rendered before is still in the meter.
    peakFromMs.current = performance.now() + METER_MS;
  };
  const change = (id: string, changes: Partial<TrackMix>) => {
    forgetPeak();
    player.setMix({ ...player.mix.value, [id]: { ...UNTOUCHED, ...player.mix.value[id], ...changes } });
  };
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
    saveBlob(await renderMix({ store: player.openStore(), previews, mix }, range), `${name} - ${part}.wav`);

  return (
    <div class="stack mixer" ref={root} tabIndex={-1}>
      {picture}
      <TransportBar
        state={state}
        frame={frame}
        sampleRate={sampleRate}
        duration={frames / sampleRate}
        ready={readyFrames / sampleRate}
        levels={levels}
        loop={loop}
        isNulling={player.isNulling.value}
        canNull={listNullSet(previews).length > 0}
        drawing={kind}
        onToggle={toggle}
        onZoom={zoom}
        onMarkLoop={markLoop}
        onToggleLoop={toggleLoop}
        onNull={() => player.setNulling(!player.isNulling.value)}
        onForgetPeak={forgetPeak}
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
        {stateId !== undefined && (
          <Button
            isSmall
            icon="link"
            onClick={async () => {
              await copyText(toMixerLink(stateId, writeState()));
              announce("The link is copied. It opens the Task with this mix, loop and position.");
            }}
          >
            Link to this mix
          </Button>
        )}
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
