import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { advanceClock, type Clock, makeAudioClock } from "./clock.ts";

/** Audio to listen to: a stem, or the recording itself; `leadSeconds` is how long it is silent before the recording's audio starts. */
export type PlayableSound = { name: string; link: string; leadSeconds: number };

/** The browser's own player, and the content that follows it: the clock counts from the start of the recording's audio. */
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
  const leadSeconds = sounds[chosen]?.leadSeconds ?? 0;
  const audioClock = useMemo(() => clock && advanceClock(clock, -leadSeconds), [clock, leadSeconds]);
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
      {audioClock && children(audioClock)}
    </div>
  );
}
