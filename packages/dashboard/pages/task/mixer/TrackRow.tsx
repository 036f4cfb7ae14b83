import type { PreviewTrack } from "@stemwright/sdk";
import { nameModel } from "../../../data/models.ts";
import { INPUT_TRACK, type TrackMix } from "../../../player/mix.ts";
import { type TrackPeaks, type View, Waveform } from "./Waveform.tsx";

const nameTrack = ({ id, name }: PreviewTrack) =>
  id === INPUT_TRACK
    ? "Original"
    : nameModel(name.replace(/_residual$/, "")) + (name.endsWith("_residual") ? ", residual" : "");

/** One track: its controls and its waveform. */
export function TrackRow({
  track,
  index,
  mix,
  peaks,
  view,
  onChange,
  onSeek,
}: {
  track: PreviewTrack;
  index: number;
  mix: TrackMix;
  peaks: TrackPeaks | undefined;
  view: View;
  onChange: (change: Partial<TrackMix>) => void;
  onSeek: (frame: number) => void;
}) {
  const name = nameTrack(track);
  return (
    <li class="mixer-track" data-hue={(index % 8) + 1}>
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
            class="button button-small mixer-toggle"
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
      <Waveform name={name} peaks={peaks} view={view} onSeek={onSeek} />
    </li>
  );
}
