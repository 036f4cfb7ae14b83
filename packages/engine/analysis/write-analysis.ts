import type { MusicAnalysis } from "./music-analysis.ts";

/** Everything. */
export const toAnalysisJson = (analysis: MusicAnalysis) => `${JSON.stringify(analysis)}\n`;

/** Chords as `.lab` of MIREX: start, end and label, separated by tabs. */
export const toChordLab = ({ chords }: MusicAnalysis) =>
  chords.map(({ start, end, label }) => `${start.toFixed(3)}\t${end.toFixed(3)}\t${label}\n`).join("");

/** A row for each beat, with what holds at it. */
export function toBeatCsv({ beats, tempo, chords, keys, sections }: MusicAnalysis): string {
  const rows = beats.map(({ time, bar, beat }) => {
    const at = <Part extends { start: number; end: number }>(parts: readonly Part[]) =>
      parts.find(({ start, end }) => time >= start && time < end) ?? parts.findLast(({ end }) => time >= end);
    const cells = [at(tempo)?.bpm, at(chords)?.label, at(keys)?.key, at(sections)?.label];
    return `${time.toFixed(3)},${bar},${beat},${cells.map((cell) => cell ?? "").join(",")}\n`;
  });
  return ["time,bar,beat,bpm,chord,key,section\n", ...rows].join("");
}
