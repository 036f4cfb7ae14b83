import type { PreviewTrack } from "@stemwright/sdk";
import { nameModel } from "../../../data/model-names.ts";
import { INPUT_TRACK, type TrackMix } from "../../../player/mix.ts";
import { type Drawing, TrackCanvas } from "./TrackCanvas.tsx";
import type { View } from "./view.ts";

const nameTrack = ({ id, name }: PreviewTrack) =>
  id === INPUT_TRACK
    ? "Original"
    : nameModel(name.replace(/_residual$/, "")) + (name.endsWith("_residual") ? ", residual" : "");

/** One track: its controls and what it looks like. */
export function TrackRow({
  track,
  index,
  mix,
  drawing,
  isSilent,
  view,
  onChange,
  onSeek,
}: {
  track: PreviewTrack;
  index: number;
  mix: TrackMix;
  drawing: Drawing;
  /** Muted, or another has the solo. */
  isSilent: boolean;
  view: View;
  onChange: (change: Partial<TrackMix>) => void;
  onSeek: (frame: number) => void;
}) {
  const name = nameTrack(track);
  return (
    <li class="mixer-track" data-hue={(index % 8) + 1} data-silent={isSilent || undefined}>
      <div class="mixer-controls">
        <span class="mixer-name truncate" title={name}>
          {name}
        </span>
        <div class="row">
          <button
            type="button"
            class="button button-small mixer-toggle"
            aria-pressed={mix.isSolo}
            aria-label={`Solo ${name}`}
            onClick={() => onChange({ isSolo: !mix.isSolo })}
          >
            S
          </button>
          <button
            type="button"
            class="button button-small mixer-toggle mixer-mute"
            aria-pressed={mix.isMuted}
            aria-label={`Mute ${name}`}
            onClick={() => onChange({ isMuted: !mix.isMuted })}
          >
            M
          </button>
          <input
            type="range"
            class="mixer-gain"
            min="-40"
            max="12"
            step="0.5"
            value={mix.gainDb}
            aria-label={`Gain of ${name} in dB`}
            title={`${mix.gainDb} dB`}
            onInput={({ currentTarget }) => onChange({ gainDb: Number(currentTarget.value) })}
          />
          <input
            type="range"
            class="mixer-pan"
            min="-1"
            max="1"
            step="0.05"
            value={mix.pan}
            aria-label={`Pan of ${name}`}
            title={
              mix.pan === 0
                ? "Centre"
                : `${Math.round(Math.abs(mix.pan) * 100)} % ${mix.pan < 0 ? "left" : "right"}`
            }
            onInput={({ currentTarget }) => onChange({ pan: Number(currentTarget.value) })}
          />
        </div>
      </div>
      <TrackCanvas name={name} drawing={drawing} view={view} onSeek={onSeek} />
    </li>
  );
}
