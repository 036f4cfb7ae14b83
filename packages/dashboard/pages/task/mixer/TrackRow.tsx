import type { PreviewTrack } from "@stemwright/sdk";
import { nameModel } from "../../../data/model-names.ts";
import { INPUT_TRACK, type TrackMix } from "../../../player/mix.ts";
import { nameVoice } from "./load-lanes.ts";
import { type Drawing, TrackCanvas } from "./TrackCanvas.tsx";
import type { View } from "./view.ts";

/** `voices` are the names of the people that voices belong to. */
export function nameTrack({ id, name }: PreviewTrack, voices: ReadonlyMap<string, string>): string {
  if (id === INPUT_TRACK) return "Original";
  const person = voices.get(name);
  if (person !== undefined) return person;
  if (/^voice_.*\d$/.test(name)) return nameVoice(name);
  const plain = name.replace(/_residual$/, "");
  if (plain === name) return nameModel(name);
  return `${plain.startsWith("voice") ? "Voices" : nameModel(plain)}, residual`;
}

const describePan = (pan: number) =>
  pan === 0 ? "centre" : `${Math.round(Math.abs(pan) * 100)} % ${pan < 0 ? "left" : "right"}`;

/** One track: its controls and its drawing. */
export function TrackRow({
  name,
  index,
  mix,
  drawing,
  isSilent,
  sharing,
  view,
  onChange,
  onSeek,
}: {
  name: string;
  index: number;
  mix: TrackMix;
  drawing: Drawing;
  /** Muted, or another track is soloed. */
  isSilent: boolean;
  /** Names of the tracks that have some of its sound already. */
  sharing: readonly string[];
  view: View;
  onChange: (change: Partial<TrackMix>) => void;
  onSeek: (frame: number) => void;
}) {
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
          <span class="mixer-slider mixer-gain">
            <span class="mixer-caption" aria-hidden="true">
              Gain
            </span>
            <input
              type="range"
              min="-40"
              max="12"
              step="0.5"
              value={mix.gainDb}
              aria-label={`Gain of ${name} in dB`}
              title={`Gain: ${mix.gainDb} dB. Double-click for 0 dB.`}
              onDblClick={() => onChange({ gainDb: 0 })}
              onInput={({ currentTarget }) => onChange({ gainDb: Number(currentTarget.value) })}
            />
          </span>
          <span class="mixer-slider mixer-pan">
            <span class="mixer-caption" aria-hidden="true">
              Pan
            </span>
            <input
              type="range"
              min="-1"
              max="1"
              step="0.05"
              value={mix.pan}
              aria-label={`Pan of ${name}`}
              title={`Pan: ${describePan(mix.pan)}. Double-click for the centre.`}
              onDblClick={() => onChange({ pan: 0 })}
              onInput={({ currentTarget }) => onChange({ pan: Number(currentTarget.value) })}
            />
          </span>
        </div>
        {sharing.length > 0 && (
          <p class="mixer-note small muted" title={`Already in ${sharing.join(", ")}`}>
            {isSilent ? "already in " : "also in "}
            {sharing.join(", ")}
          </p>
        )}
      </div>
      <TrackCanvas name={name} drawing={drawing} view={view} onSeek={onSeek} />
    </li>
  );
}
