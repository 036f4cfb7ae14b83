import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Clock, makeAudioClock } from "./clock.ts";

/** Audio to listen to: a stem, or the recording itself. */
export type PlayableSound = { name: string; link: string };

/** The browser's own player, and the content that follows it. */
export function RecordingClock({
  sounds,
  children,
}: {
  sounds: readonly PlayableSound[];
  children: (clock: Clock) => ComponentChildren;
}) {
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const [clock, setClock] = useState<Clock>();
  const [chosen, setChosen] = useState(0);
  const hasSound = sounds.length > 0;
  useEffect(() => {
    if (!audio) return undefined;
    const made = makeAudioClock(audio, { hasSound });
    setClock(made);
    return made.close;
  }, [audio, hasSound]);
  return (
    <div class="stack">
      <div class="row row-wrap">
        {sounds.length > 1 && (
          <select
            class="input words-form"
            aria-label="Listen to"
            value={String(chosen)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            {sounds.map(({ name }, index) => (
              <option key={name} value={String(index)}>
                {name}
              </option>
            ))}
          </select>
        )}
        {/* biome-ignore lint/a11y/useMediaCaption: its words stand below. */}
        <audio
          ref={setAudio}
          class="words-sound"
          hidden={!hasSound}
          controls
          preload="metadata"
          src={sounds[chosen]?.link}
          aria-label={sounds[chosen]?.name ?? "No recording to listen to"}
        />
      </div>
      {clock && children(clock)}
    </div>
  );
}
