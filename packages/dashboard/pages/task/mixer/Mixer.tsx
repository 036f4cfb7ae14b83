import { useEffect, useState } from "preact/hooks";
import { Button } from "../../../parts/Button.tsx";
import { formatDuration } from "../../../parts/format.ts";
import { type TrackMix, UNTOUCHED } from "../../../player/mix.ts";
import type { Player } from "../../../player/player.ts";
import {
  countReadyFrames,
  type PlayablePreviews,
  type PreviewSource,
} from "../../../player/preview-source.ts";
import { renderMix } from "../../../player/render-mix.ts";
import { saveBlob } from "./save-blob.ts";
import { TrackRow } from "./TrackRow.tsx";
import { useMixerKeys } from "./use-mixer-keys.ts";
import { usePeaks } from "./use-peaks.ts";
import type { View } from "./Waveform.tsx";

const SHOWN_INTERVAL_MS = 50;

export function Mixer({
  name,
  player,
  source,
  previews,
}: {
  name: string;
  player: Player;
  source: PreviewSource;
  previews: PlayablePreviews;
}) {
  const { frames, sampleRate, tracks } = previews;
  const [view, setView] = useState<View>({ start: 0, end: frames });
  const [shown, setShown] = useState({ frame: 0, levelDb: Number.NEGATIVE_INFINITY });
  const peaks = usePeaks(source, previews, view);
  const mix = player.mix.value;
  const state = player.state.value;
  const loop = player.loop.value;
  const isNulling = player.isNulling.value;

  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setShown({ frame: player.position, levelDb: player.measureDb() });
    }, SHOWN_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [player]);

  const change = (id: string, changes: Partial<TrackMix>) =>
    player.setMix({ ...mix, [id]: { ...UNTOUCHED, ...mix[id], ...changes } });
  const toggle = () => (state === "stopped" ? player.play() : player.pause());
  const seek = (frame: number) => {
    player.seek(frame);
    setShown((was) => ({ ...was, frame }));
  };
  const zoom = (factor: number) => {
    const length = Math.max(sampleRate, Math.min(frames, (view.end - view.start) * factor));
    const start = Math.max(0, Math.min(frames - length, shown.frame - length / 2));
    setView({ start: Math.round(start), end: Math.round(start + length) });
  };
  const markLoop = (edge: "start" | "end") => {
    const was = loop ?? { start: 0, end: frames };
    const next = { ...was, [edge]: Math.round(player.position) };
    if (next.end > next.start) player.setLoop(next);
  };
  useMixerKeys({ player, tracks, sampleRate, toggle, seek, change, markLoop });

  const save = async (part: string, stretch: { start: number; end: number }) =>
    saveBlob(await renderMix({ store: player.store, previews, mix }, stretch), `${name} ${part}.wav`);
  const toPercent = (frame: number) => `${(100 * (frame - view.start)) / (view.end - view.start)}%`;
  const readyFrames = countReadyFrames(previews);

  return (
    <div class="stack">
      <div class="row row-wrap mixer-transport">
        <Button kind="primary" icon={state === "stopped" ? "play" : "stop"} onClick={toggle}>
          {state === "stopped" ? "Play" : "Pause"}
        </Button>
        <span class="mixer-time">
          {formatDuration(shown.frame / sampleRate)} / {formatDuration(frames / sampleRate)}
        </span>
        {state === "waiting" && <span class="muted small">Waiting for sound…</span>}
        {readyFrames < frames && (
          <span class="muted small">{formatDuration(readyFrames / sampleRate)} ready</span>
        )}
        <Button isSmall onClick={() => zoom(0.5)}>
          Zoom in
        </Button>
        <Button isSmall onClick={() => zoom(2)}>
          Zoom out
        </Button>
        <Button isSmall onClick={() => markLoop("start")}>
          Loop from here
        </Button>
        <Button isSmall onClick={() => markLoop("end")}>
          Loop to here
        </Button>
        {loop && (
          <Button isSmall onClick={() => player.setLoop(null)}>
            No loop
          </Button>
        )}
        <button
          type="button"
          class="button button-small mixer-toggle"
          aria-pressed={isNulling}
          title="Plays the stems minus the original: silence means that nothing is lost"
          onClick={() => player.setNulling(!isNulling)}
        >
          Null test
        </button>
        <meter
          class="mixer-meter"
          min={-120}
          max={0}
          value={Math.max(-120, shown.levelDb)}
          aria-label="Level of what is heard, in dB below full scale"
        />
        <span class="mixer-time small" data-testid="level">
          {shown.levelDb < -190 ? "silence" : `${shown.levelDb.toFixed(0)} dBFS`}
        </span>
      </div>
      <div class="card card-flush mixer-lanes">
        <ul class="plain-list">
          {tracks.map((track, index) => (
            <TrackRow
              key={track.id}
              track={track}
              index={index}
              mix={mix[track.id] ?? UNTOUCHED}
              peaks={peaks.get(track.id)}
              view={view}
              onChange={(changes) => change(track.id, changes)}
              onSeek={seek}
            />
          ))}
        </ul>
        <div class="mixer-timeline" aria-hidden="true">
          {loop && (
            <span
              class="mixer-loop"
              style={{
                left: toPercent(Math.max(view.start, loop.start)),
                right: `calc(100% - ${toPercent(Math.min(view.end, loop.end))})`,
              }}
            />
          )}
          {shown.frame >= view.start && shown.frame <= view.end && (
            <span class="mixer-playhead" style={{ left: toPercent(shown.frame) }} />
          )}
        </div>
      </div>
      <div class="row row-wrap">
        <Button isSmall icon="download" onClick={() => save("mix", { start: 0, end: frames })}>
          Save the mix as wav
        </Button>
        {loop && (
          <Button isSmall icon="download" onClick={() => save("loop", loop)}>
            Save the loop as wav
          </Button>
        )}
        <span class="small muted">
          Space plays, ← and → seek by 5 seconds, 1 to 9 solo a track, Shift with them mutes it, [ and ] set
          the loop, N is the null test.
        </span>
      </div>
    </div>
  );
}
