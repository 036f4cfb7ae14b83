import type { ReadonlySignal } from "@preact/signals";
import { Button } from "../../../parts/Button.tsx";
import { formatDuration } from "../../../parts/format.ts";
import type { Loop, PlayerState } from "../../../player/player.ts";
import { PeakMeter, type ShownLevels } from "./PeakMeter.tsx";
import type { Drawing } from "./TrackCanvas.tsx";

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
  levels: ReadonlySignal<ShownLevels>;
  loop: Loop | null;
  isNulling: boolean;
  /** Whether some tracks add up to the input. */
  canNull: boolean;
  drawing: Drawing["kind"];
  onToggle: () => unknown;
  onZoom: (factor: number) => void;
  onMarkLoop: (edge: "start" | "end") => void;
  onToggleLoop: () => void;
  onNull: () => void;
  onForgetPeak: () => void;
  onDrawing: (kind: Drawing["kind"]) => void;
  onKeys: () => void;
};

const Position = ({ frame, sampleRate }: Pick<TransportProps, "frame" | "sampleRate">) =>
  formatDuration(frame.value / sampleRate);

/** The toolbar above the timeline: play, position, level, loop, zoom and view. */
export function TransportBar(props: TransportProps) {
  const { state, frame, sampleRate, duration, ready, levels, loop, isNulling, drawing } = props;
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
      <PeakMeter levels={levels} onForget={props.onForgetPeak} />
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
        aria-disabled={!props.canNull}
        title={
          props.canNull
            ? "Plays the stems minus the original: silence means that nothing is lost (N)"
            : "These stems are not the whole recording, so they can’t add up to it"
        }
        onClick={() => props.canNull && props.onNull()}
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
