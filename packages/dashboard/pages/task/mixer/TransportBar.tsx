import type { ReadonlySignal } from "@preact/signals";
import { Button } from "../../../parts/Button.tsx";
import { formatDuration } from "../../../parts/format.ts";
import type { Loop, PlayerState } from "../../../player/player.ts";
import type { Drawing } from "./TrackCanvas.tsx";

const SILENCE_DB = -190;
const METER_FLOOR_DB = -120;

const DRAWINGS: readonly [Drawing["kind"], string][] = [
  ["waveform", "Waveforms"],
  ["spectrogram", "Spectrograms"],
];

export type TransportProps = {
  state: PlayerState;
  /** The current position. */
  frame: ReadonlySignal<number>;
  sampleRate: number;
  /** Of the recording, in seconds. */
  duration: number;
  /** Seconds that can be played so far. */
  ready: number;
  levelDb: ReadonlySignal<number>;
  loop: Loop | null;
  isNulling: boolean;
  drawing: Drawing["kind"];
  onToggle: () => unknown;
  onZoom: (factor: number) => void;
  onMarkLoop: (edge: "start" | "end") => void;
  onToggleLoop: () => void;
  onNull: () => void;
  onDrawing: (kind: Drawing["kind"]) => void;
  onKeys: () => void;
};

const Position = ({ frame, sampleRate }: Pick<TransportProps, "frame" | "sampleRate">) =>
  formatDuration(frame.value / sampleRate);

function Level({ levelDb }: Pick<TransportProps, "levelDb">) {
  return (
    <div class="row mixer-level">
      <meter
        class="mixer-meter"
        min={METER_FLOOR_DB}
        max={0}
        value={Math.max(METER_FLOOR_DB, levelDb.value)}
        aria-label="Level of what is heard, in dB below full scale"
      />
      <span class="mixer-time mixer-decibels small" data-testid="level">
        {levelDb.value < SILENCE_DB ? "silence" : `${levelDb.value.toFixed(0)} dBFS`}
      </span>
    </div>
  );
}

/** The toolbar above the timeline: play, position, level, loop, zoom and view. */
export function TransportBar(props: TransportProps) {
  const { state, frame, sampleRate, duration, ready, levelDb, loop, isNulling, drawing } = props;
  const isStopped = state === "stopped";
  return (
    <div class="row row-wrap mixer-transport">
      <Button kind="primary" icon={isStopped ? "play" : "pause"} onClick={props.onToggle}>
        {isStopped ? "Play" : "Pause"}
      </Button>
      <div class="mixer-clock">
        <span class="mixer-time">
          <Position frame={frame} sampleRate={sampleRate} />{" "}
          <span class="muted">/ {formatDuration(duration)}</span>
        </span>
        {state === "waiting" ? (
          <span class="muted">Waiting for sound…</span>
        ) : (
          ready < duration && <span class="muted">{formatDuration(ready)} ready</span>
        )}
      </div>
      <Level levelDb={levelDb} />
      <fieldset class="segments">
        <legend class="visually-hidden">Loop</legend>
        <button
          type="button"
          aria-pressed={loop !== null}
          title="Loop on or off (L)"
          onClick={props.onToggleLoop}
        >
          Loop
        </button>
        <button type="button" title="Begin the loop here ([)" onClick={() => props.onMarkLoop("start")}>
          from here
        </button>
        <button type="button" title="End the loop here (])" onClick={() => props.onMarkLoop("end")}>
          to here
        </button>
      </fieldset>
      <fieldset class="segments">
        <legend class="visually-hidden">Zoom</legend>
        <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => props.onZoom(2)}>
          −
        </button>
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => props.onZoom(0.5)}>
          +
        </button>
      </fieldset>
      <fieldset class="segments">
        <legend class="visually-hidden">Show</legend>
        {DRAWINGS.map(([kind, title]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={drawing === kind}
            title={`${title} (W)`}
            onClick={() => props.onDrawing(kind)}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        class="button button-small mixer-toggle"
        aria-pressed={isNulling}
        title="Plays the stems minus the original: silence means that nothing is lost (N)"
        onClick={props.onNull}
      >
        Null test
      </button>
      <button
        type="button"
        class="button button-small button-plain mixer-keys"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={props.onKeys}
      >
        <kbd>?</kbd>
      </button>
    </div>
  );
}
