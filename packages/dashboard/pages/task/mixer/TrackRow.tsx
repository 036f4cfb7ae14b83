import type { PreviewTrack } from "@stemwright/sdk";
import { nameModel } from "../../../data/model-names.ts";
import { INPUT_TRACK, type TrackMix } from "../../../player/mix.ts";
import { nameVoice } from "./load-lanes.ts";
import { type Drawing, TrackCanvas } from "./TrackCanvas.tsx";
import type { View } from "./view.ts";

function nameTrack({ id, name }: PreviewTrack): string {
  if (id === INPUT_TRACK) return "Original";
  if (/^voice_.*\d$/.test(name)) return nameVoice(name);
  const plain = name.replace(/_residual$/, "");
  if (plain === name) return nameModel(name);
  return `${plain.startsWith("voice") ? "Voices" : nameModel(plain)}, residual`;
}

const describePan = (pan: number) =>
  pan === 0 ? "centre" : `${Math.round(Math.abs(pan) * 100)} % ${pan < 0 ? "left" : "right"}`;

/** One track: its controls and its drawing. */
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
  /** Muted, or another track is soloed. */
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
            title={`Solo (${index + 1})`}
            onClick={() => onChange({ isSolo: !mix.isSolo })}
          >
            S
          </button>
          <button
            type="button"
            class="button button-small mixer-toggle mixer-mute"
            aria-pressed={mix.isMuted}
            aria-label={`Mute ${name}`}
            title={`Mute (Shift+${index + 1})`}
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
            title={`Gain: ${mix.gainDb} dB. Double-click for 0 dB.`}
            onDblClick={() => onChange({ gainDb: 0 })}
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
            title={`Pan: ${describePan(mix.pan)}. Double-click for the centre.`}
            onDblClick={() => onChange({ pan: 0 })}
            onInput={({ currentTarget }) => onChange({ pan: Number(currentTarget.value) })}
          />
        </div>
      </div>
      <TrackCanvas name={name} drawing={drawing} view={view} onSeek={onSeek} />
    </li>
  );
}
