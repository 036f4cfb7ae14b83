import { type Mix, type TrackMix, UNTOUCHED } from "../../../player/mix.ts";
import type { Loop } from "../../../player/player.ts";
import type { Drawing } from "./TrackCanvas.tsx";
import type { View } from "./view.ts";

/** How somebody left the mixer of a Task. */
export type MixerState = {
  /** Tracks that differ from the mix the Task opens with. */
  mix: Mix;
  loop: Loop | null;
  view: View;
  frame: number;
  kind: Drawing["kind"];
};

const PREFIX = "stemwright-mixer-";
/** Beyond it others are forgotten, whichever the browser lists first. */
const TASKS_MAX = 50;

const isRange = (value: unknown, frames: number): value is Loop => {
  const { start, end } = (value ?? {}) as Partial<Loop>;
  return (
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    Number(start) >= 0 &&
    Number(start) < Number(end) &&
    Number(end) <= frames
  );
};

function parseTrack(value: unknown): TrackMix {
  const { gainDb, pan, isMuted, isSolo } = (value ?? {}) as Partial<TrackMix>;
  const limit = (number: unknown, min: number, max: number) =>
    typeof number === "number" && number >= min && number <= max ? number : 0;
  return {
    ...UNTOUCHED,
    gainDb: limit(gainDb, -40, 12),
    pan: limit(pan, -1, 1),
    isMuted: isMuted === true,
    isSolo: isSolo === true,
  };
}

/** Drops what does not fit the Task: anybody can write a link. */
export function parseMixerState(
  text: string | null,
  { ids, frames }: { ids: readonly string[]; frames: number },
): Partial<MixerState> {
  if (text === null) return {};
  try {
    const { mix, loop, view, frame, kind } = JSON.parse(text) as Partial<MixerState>;
    const known = Object.entries(mix ?? {}).filter(([id]) => ids.includes(id));
    return {
      mix: Object.fromEntries(known.map(([id, track]) => [id, parseTrack(track)])),
      ...(isRange(loop, frames) ? { loop: { start: loop.start, end: loop.end } } : {}),
      ...(isRange(view, frames) ? { view: { start: view.start, end: view.end } } : {}),
      ...(Number.isInteger(frame) && Number(frame) >= 0 && Number(frame) < frames
        ? { frame: Number(frame) }
        : {}),
      ...(kind === "spectrogram" || kind === "waveform" ? { kind } : {}),
    };
  } catch {
    return {};
  }
}

/** As stored and in a link: tracks as the Task opens with are left out. */
export function writeMixerState({ mix, ...state }: MixerState, first: Mix): string {
  const changed = Object.entries(mix).filter(
    ([id, track]) => JSON.stringify(track) !== JSON.stringify(first[id]),
  );
  return JSON.stringify({ mix: Object.fromEntries(changed), ...state });
}

/** From a link to this Task's mixer, else as it was left in this browser. */
export function readMixerState(taskId: string): string | null {
  const linked = new URLSearchParams(window.location.search).get("mixer");
  if (linked !== null) return linked;
  try {
    return localStorage.getItem(PREFIX + taskId);
  } catch {
    return null;
  }
}

export function storeMixerState(taskId: string, text: string): void {
  try {
    const stored = Object.keys(localStorage).filter(
      (key) => key.startsWith(PREFIX) && key !== PREFIX + taskId,
    );
    for (const key of stored.slice(0, Math.max(0, stored.length + 1 - TASKS_MAX)))
      localStorage.removeItem(key);
    localStorage.setItem(PREFIX + taskId, text);
  } catch {
    // Storage may be full or disabled: the mixer then starts as for a new Task.
  }
}

/** A link that opens the Task with this mixer. */
export const toMixerLink = (taskId: string, text: string) =>
  new URL(`app/tasks/${taskId}?${new URLSearchParams({ mixer: text })}`, document.baseURI).href;
