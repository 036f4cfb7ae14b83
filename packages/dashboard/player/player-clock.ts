import { computed, signal } from "@preact/signals";
import type { Clock } from "../words/clock.ts";
import type { Player } from "./player.ts";

const STEP_MS = 40;

/** A clock over the mixer's player, for words that follow it; a timer, since it keeps running in hidden tabs. */
export function makePlayerClock(player: Player, sampleRateHz: number): Clock & { close(): void } {
  const readSeconds = () => player.position / sampleRateHz;
  const seconds = signal(readSeconds());
  const isPlaying = computed(() => player.state.value !== "stopped");
  const timer = setInterval(() => {
    seconds.value = readSeconds();
  }, STEP_MS);
  return {
    hasSound: true,
    seconds,
    readSeconds,
    isPlaying,
    seek(at) {
      player.seek(at * sampleRateHz);
      seconds.value = at;
    },
    play: () => void player.play().catch(() => {}),
    pause: () => player.pause(),
    close: () => clearInterval(timer),
  };
}
