import type { PreviewTrack } from "@stemwright/sdk";
import { useEffect, useRef } from "preact/hooks";
import { reportError } from "../../../parts/toast.ts";
import type { TrackMix } from "../../../player/mix.ts";
import type { Player } from "../../../player/player.ts";

const STEP_SECONDS = 5;
const SMALL_STEP_SECONDS = 1;

type Keys = {
  player: Player;
  tracks: readonly PreviewTrack[];
  frames: number;
  sampleRate: number;
  toggle: () => unknown;
  seek: (frame: number) => void;
  seekLine: (direction: -1 | 1) => void;
  change: (id: string, changes: Partial<TrackMix>) => void;
  markLoop: (edge: "start" | "end") => void;
  toggleLoop: () => void;
  zoom: (factor: number) => void;
  switchDrawing: () => void;
  showKeys: () => void;
};

/** Keys the focused element handles itself: all in text fields, arrows on sliders, Space and Enter on buttons. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "range")
    return /^(Arrow|Page|Home|End)/.test(key);
  if (target.role === "tab") return key.startsWith("Arrow");
  if (target instanceof HTMLButtonElement && key === " ") return true;
  return target.closest("input, textarea, select, dialog") !== null;
}

function handle({ player, tracks, frames, sampleRate, ...keys }: Keys, event: KeyboardEvent): boolean {
  // By its position on the keyboard: with Shift the digits are other characters.
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  const track = digit === undefined ? undefined : tracks[Number(digit) - 1];
  if (track) {
    const mix = player.mix.value[track.id];
    keys.change(track.id, event.shiftKey ? { isMuted: !mix?.isMuted } : { isSolo: !mix?.isSolo });
    return true;
  }
  const step = sampleRate * (event.shiftKey ? SMALL_STEP_SECONDS : STEP_SECONDS);
  const actions: Record<string, () => unknown> = {
    " ": keys.toggle,
    ArrowLeft: () => keys.seek(player.position - step),
    ArrowRight: () => keys.seek(player.position + step),
    Home: () => keys.seek(0),
    End: () => keys.seek(frames - 1),
    ",": () => keys.seekLine(-1),
    ".": () => keys.seekLine(1),
    "[": () => keys.markLoop("start"),
    "]": () => keys.markLoop("end"),
    l: keys.toggleLoop,
    "+": () => keys.zoom(0.5),
    "=": () => keys.zoom(0.5),
    "-": () => keys.zoom(2),
    w: keys.switchDrawing,
    n: () => player.setNulling(!player.isNulling.value),
    "?": keys.showKeys,
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return false;
  Promise.resolve(action()).catch(reportError);
  return true;
}

/** Keyboard control of the mixer, wherever the focus is on the page. */
export function useMixerKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // The words editor that follows the mixer has its own keys.
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      if (handle(latest.current, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
