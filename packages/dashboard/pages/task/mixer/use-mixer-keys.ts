import type { PreviewTrack } from "@stemwright/sdk";
import { useEffect, useRef } from "preact/hooks";
import { reportError } from "../../../parts/toast.ts";
import type { TrackMix } from "../../../player/mix.ts";
import type { Player } from "../../../player/player.ts";

const STEP_SECONDS = 5;

type Keys = {
  player: Player;
  tracks: readonly PreviewTrack[];
  sampleRate: number;
  toggle: () => unknown;
  seek: (frame: number) => void;
  change: (id: string, changes: Partial<TrackMix>) => void;
  markLoop: (edge: "start" | "end") => void;
};

/** Those who type, or choose with the arrow keys, keep their keys. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [role=tab], dialog") !== null;

function handle({ player, tracks, sampleRate, ...keys }: Keys, event: KeyboardEvent): boolean {
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  const track = digit === undefined ? undefined : tracks[Number(digit) - 1];
  const mix = track && player.mix.value[track.id];
  if (track && event.shiftKey) keys.change(track.id, { isMuted: !mix?.isMuted });
  else if (track) keys.change(track.id, { isSolo: !mix?.isSolo });
  else if (event.code === "Space") Promise.resolve(keys.toggle()).catch(reportError);
  else if (event.key === "ArrowLeft") keys.seek(player.position - STEP_SECONDS * sampleRate);
  else if (event.key === "ArrowRight") keys.seek(player.position + STEP_SECONDS * sampleRate);
  else if (event.key === "[") keys.markLoop("start");
  else if (event.key === "]") keys.markLoop("end");
  else if (event.key === "n") player.setNulling(!player.isNulling.value);
  else return false;
  return true;
}

/** The mixer by keyboard, wherever the focus is on the page. */
export function useMixerKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Words that follow the mixer have keys of their own.
      if (event.defaultPrevented) return;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A button that has the focus is pressed by Space.
      if (event.code === "Space" && event.target instanceof HTMLButtonElement) return;
      if (handle(latest.current, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
