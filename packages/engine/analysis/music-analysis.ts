import type { Loudness } from "../dsp/loudness.ts";
import type { BarPlace } from "./bar-path.ts";
import type { Section } from "./find-sections.ts";
import type { TempoPart } from "./tempo-curve.ts";

export type Beat = { time: number } & BarPlace;
export type KeySpan = { start: number; end: number; key: string };
export type ChordSpan = { start: number; end: number; label: string };

/** What is known of a recording, in seconds; null or empty where nothing can be told. The same as the json output. */
export type MusicAnalysis = {
  duration: number;
  bpm: number | null;
  timeSignature: string | null;
  key: string | null;
  keyConfidence: number | null;
  tuningCents: number | null;
  beats: Beat[];
  tempo: TempoPart[];
  keys: KeySpan[];
  chords: ChordSpan[];
  sections: Section[];
  loudness: Loudness;
};

/** The same of a recording that starts some seconds later. */
export function delayAnalysis(analysis: MusicAnalysis, seconds: number): MusicAnalysis {
  if (seconds === 0) return analysis;
  const later = (time: number) => Math.round((time + seconds) * 1000) / 1000;
  const delay = <Part extends { start: number; end: number }>(parts: readonly Part[]) =>
    parts.map((part) => ({ ...part, start: later(part.start), end: later(part.end) }));
  return {
    ...analysis,
    duration: later(analysis.duration),
    beats: analysis.beats.map((beat) => ({ ...beat, time: later(beat.time) })),
    tempo: delay(analysis.tempo),
    keys: delay(analysis.keys),
    chords: delay(analysis.chords),
    sections: delay(analysis.sections),
  };
}
