import { toOneRow } from "./one-row.ts";
import { joinWords, type TimedText, type TimedWord } from "./timed-text.ts";

/** Four beats per beat of the stated BPM: 750 gives beats of 20 ms, the finest resolution of word times. */
const BPM = 750;
const BEATS_PER_SECOND = (BPM * 4) / 60;
/** The melody is unknown: one pitch for all. */
const FLAT_PITCH = 0;

type Note = { beat: number; length: number; text: string };

/**
 * A song for UltraStar and compatible games: GAP is the time of the first word, each word is a note, and a dash ends a line. Title, artist and file are
 * for the user to fill in.
 */
export function toUltraStar(text: TimedText): string {
  const lines = text.lines.filter((line) => joinWords(line).trim() !== "");
  const gapMs = Math.round((lines[0]?.words[0]?.startSeconds ?? 0) * 1000);
  const rows = [
    "#VERSION:1.0.0",
    "#TITLE:Unknown",
    "#ARTIST:Unknown",
    `#LANGUAGE:${findLanguageName(text.metadata.language)}`,
    "#CREATOR:Stemwright",
    "#MP3:song.mp3",
    `#BPM:${BPM}`,
    `#GAP:${gapMs}`,
  ];
  let behind = 0;
  lines.forEach((line, index) => {
    if (index > 0) rows.push(`- ${behind}`);
    for (const { beat, length, text: sung } of listNotes(line.words, { gapMs, behind })) {
      rows.push(`: ${beat} ${length} ${FLAT_PITCH} ${sung}`);
      behind = beat + length;
    }
  });
  return `${[...rows, "E"].join("\n")}\n`;
}

/** Consecutive notes of at least one beat each; invisible words are left out. */
function listNotes(words: readonly TimedWord[], start: { gapMs: number; behind: number }): Note[] {
  const toBeat = (seconds: number) => Math.round((seconds - start.gapMs / 1000) * BEATS_PER_SECOND);
  const notes: Note[] = [];
  let behind = start.behind;
  for (const { text, startSeconds, endSeconds } of words) {
    if (text.trim() === "") continue;
    const beat = Math.max(behind, toBeat(startSeconds));
    behind = Math.max(beat + 1, toBeat(endSeconds));
    notes.push({ beat, length: behind - beat, text: toOneRow(text).trimStart() });
  }
  const last = notes.at(-1);
  if (last) last.text = last.text.trimEnd();
  return notes;
}

const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

/** The format uses names ("English") where others use codes. */
function findLanguageName(code: string): string {
  try {
    return languageNames.of(code) ?? code;
  } catch {
    return code;
  }
}
