import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** The part of a player that words need. */
export type Clock = {
  /** False if there is nothing to listen to: the words can still be read. */
  hasSound: boolean;
  /** The position, updated every few hundredths of a second. */
  seconds: ReadonlySignal<number>;
  /** The position at this moment. */
  readSeconds(): number;
  isPlaying: ReadonlySignal<boolean>;
  seek(seconds: number): void;
  play(): void;
  pause(): void;
};

const STEP_MS = 40;

/** The same clock, some seconds ahead. */
export function advanceClock(clock: Clock, bySeconds: number): Clock {
  return {
    ...clock,
    seconds: computed(() => clock.seconds.value + bySeconds),
    readSeconds: () => clock.readSeconds() + bySeconds,
    seek: (seconds) => clock.seek(Math.max(0, seconds - bySeconds)),
  };
}

/** A clock over the browser's own player, whose events alone would come only four times a second. */
export function makeAudioClock(
  audio: HTMLAudioElement,
  { hasSound }: { hasSound: boolean },
): Clock & { close(): void } {
  const seconds = signal(audio.currentTime);
  const isPlaying = signal(!audio.paused);
  const listeners = new AbortController();
  const { signal: until } = listeners;
  const tell = () => {
    seconds.value = audio.currentTime;
    isPlaying.value = !audio.paused;
  };
  for (const type of ["timeupdate", "seeking", "play", "pause", "ended"])
    audio.addEventListener(type, tell, { signal: until });
  const timer = setInterval(() => {
    if (!audio.paused) tell();
  }, STEP_MS);
  return {
    hasSound,
    seconds,
    readSeconds: () => audio.currentTime,
    isPlaying,
    seek(at) {
      audio.currentTime = at;
      seconds.value = at;
    },
    play: () => void audio.play().catch(() => {}),
    pause: () => audio.pause(),
    close() {
      clearInterval(timer);
      listeners.abort();
    },
  };
}
