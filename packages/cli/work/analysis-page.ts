/** What the page reads of the json output. */
export type Analysis = {
  duration: number;
  bpm: number | null;
  timeSignature: string | null;
  key: string | null;
  keyConfidence: number | null;
  tuningCents: number | null;
  beats: { time: number; beat: number; bar: number }[];
  keys: { start: number; key: string }[];
  chords: { start: number; end: number; label: string }[];
  sections: { start: number; label: string }[];
  loudness: { integratedLufs: number | null; truePeakDbtp: number | null; rangeLu: number | null };
};

const BARS_IN_ROW = 4;

/** An analysis as a page for a terminal. */
export function toAnalysisPage(name: string, analysis: Analysis): string {
  const { chords, keys, sections } = analysis;
  const facts: [string, string][] = [
    ["Length", toClock(analysis.duration)],
    ["Tempo", describeTempo(analysis)],
    ["Key", describeKey(analysis)],
    ["Loudness", describeLoudness(analysis)],
  ];
  const changes = keys.length > 1 ? keys.map(({ start, key }) => `  ${toClock(start)}  ${key}`) : [];
  const lines = [
    name,
    ...facts.map(([title, text]) => `  ${title.padEnd(9)} ${text}`),
    ...(changes.length > 0 ? ["", "Keys", ...changes] : []),
    ...(sections.length > 1
      ? ["", "Sections", ...sections.map(({ start, label }) => `  ${toClock(start)}  ${label}`)]
      : []),
    ...(chords.some(({ label }) => label !== "N") ? ["", "Chords", ...listChords(analysis)] : []),
  ];
  return `${lines.join("\n")}\n\n`;
}

function toClock(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const [minutes, left] = [Math.floor(tenths / 600), (tenths % 600) / 10];
  return `${String(minutes).padStart(2)}:${left.toFixed(1).padStart(4, "0")}`;
}

function describeTempo({ bpm, timeSignature, beats }: Analysis): string {
  if (bpm === null) return "no beat";
  const bars = beats.filter(({ beat }) => beat === 1).length;
  return `${bpm.toFixed(1)} BPM, ${timeSignature ?? "unknown metre"}, ${beats.length} beats in ${bars} bars`;
}

function describeKey({ key, keyConfidence, tuningCents }: Analysis): string {
  if (key === null) return "no key";
  const sure = keyConfidence === null ? "" : ` (${Math.round(keyConfidence * 100)} % sure)`;
  const sign = tuningCents !== null && tuningCents > 0 ? "+" : "";
  return `${key}${sure}${tuningCents === null ? "" : `, tuned ${sign}${tuningCents} cents`}`;
}

function describeLoudness({ loudness }: Analysis): string {
  const { integratedLufs, truePeakDbtp, rangeLu } = loudness;
  if (integratedLufs === null) return "silence";
  return `${integratedLufs} LUFS, true peak ${truePeakDbtp} dBTP, range ${rangeLu} LU`;
}

/** Four bars a row, each with the chords that start in it; without bars, the chords by time. */
function listChords({ beats, chords }: Analysis): string[] {
  const starts = beats.filter(({ beat }) => beat === 1).map(({ time }) => time);
  if (starts.length < 2) return chords.map(({ start, label }) => `  ${toClock(start)}  ${label}`);
  const cells = starts.map((start, bar) => {
    const end = starts[bar + 1] ?? Number.POSITIVE_INFINITY;
    const inBar = chords.filter((chord) => chord.start < end && chord.end > start && chord.start >= start);
    return inBar.length > 0 ? inBar.map(({ label }) => label).join(" ") : "%";
  });
  const rows = Array.from({ length: Math.ceil(cells.length / BARS_IN_ROW) }, (_, row) => row * BARS_IN_ROW);
  const width = Math.max(...cells.map(({ length }) => length));
  return rows.map((first) => {
    const bars = cells.slice(first, first + BARS_IN_ROW).map((cell) => cell.padEnd(width));
    return `  ${toClock(starts[first] ?? 0)}  | ${bars.join(" | ")} |`;
  });
}
