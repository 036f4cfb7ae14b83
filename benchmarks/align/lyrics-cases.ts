import type { TimedText } from "../../packages/engine/text/timed-text.ts";
import { joinLines, listLines, type Song, type SungWord } from "./load-song.ts";

/** A word of a text, when it is sung; more than one time where it is sung twice; none if it is not. */
export type CaseWord = { text: string; startSeconds: number[] };

/** A text that does not quite fit its song, or sound that was changed. */
export type LyricsCase = {
  name: string;
  words: CaseWord[];
  text: string;
  samples: Float32Array;
  spoken: TimedText;
};

/** The vocals and the accompaniment at 16 kHz, and what was recognised in the vocals. */
export type SongSound = { vocals: Float32Array; rest: Float32Array; spoken: TimedText };

const RATE_HZ = 16_000;
/** What a separation leaves of the accompaniment in a break: −30 dB. */
const RESIDUE_GAIN = 0.03;
const BREAK_SECONDS = 45;

/** From the unchanged song to texts and sound that differ in what songs differ in. */
export function makeLyricsCases(song: Song, sound: SongSound): LyricsCase[] {
  const lines = listLines(song.words).map((line) => line.map(toCaseWord));
  return [...makeTextCases(lines, sound), ...makeSoundCases(listLines(song.words), sound)];
}

const toCaseWord = ({ text, startSeconds }: SungWord): CaseWord => ({ text, startSeconds: [startSeconds] });
const toUnsung = ({ text }: CaseWord): CaseWord => ({ text, startSeconds: [] });

function makeTextCases(lines: CaseWord[][], sound: SongSound): LyricsCase[] {
  const make = (name: string, changed: CaseWord[][], text = joinLines(changed)): LyricsCase => ({
    name,
    words: changed.flat(),
    text,
    samples: sound.vocals,
    spoken: sound.spoken,
  });
  const count = lines.length;
  const [from, length] = [Math.floor(count * 0.35), Math.max(4, Math.round(count * 0.15))];
  const later = Math.floor(count * 0.6);
  const unsungLines = (start: number) => lines.slice(start, start + length).map((line) => line.map(toUnsung));
  return [
    make("as it is", lines),
    make("a verse missing from the text", [...lines.slice(0, from), ...lines.slice(from + length)]),
    make(
      "ad-libs missing from the text",
      lines.flatMap((line, n) => {
        if (n % 7 === 5) return [];
        return [n % 4 === 2 && line.length > 3 ? line.slice(0, -2) : line];
      }),
    ),
    make("start and end missing from the text", lines.slice(length, count - length)),
    make("a verse written that is not sung", [
      ...lines.slice(0, later),
      ...unsungLines(2),
      ...lines.slice(later),
    ]),
    make(
      "headings and (x2)",
      lines.flatMap((line, n) => {
        if (n % 6 === 0) return [[toUnsung({ text: "[Chorus]", startSeconds: [] })], line];
        return [n % 6 === 5 ? [...line, { text: "(x2)", startSeconds: [] }] : line];
      }),
    ),
    make("a chorus written at the end that is not sung", [...lines, ...unsungLines(from)]),
    make(
      "every sixth line written again",
      lines.flatMap((line, n) => (n % 6 === 5 ? [line, (lines[n - 4] ?? []).map(toUnsung)] : [line])),
    ),
    make("a tenth of the words wrong", replaceWords(lines)),
    make(
      "all in one line",
      lines,
      lines
        .flat()
        .map(({ text }, n) => (n % 9 === 8 ? `¿${text}!…` : text))
        .join(" "),
    ),
  ];
}

/** Every tenth word is another of the song; its time does not count. */
function replaceWords(lines: CaseWord[][]): CaseWord[][] {
  const all = lines.flat();
  let index = 0;
  return lines.map((line) =>
    line.map((word) => {
      const other = all[(index * 37) % all.length];
      return index++ % 10 === 4 && other ? toUnsung(other) : word;
    }),
  );
}

/** A gap of the song, or seconds without voice. */
type Part = { startSeconds: number; endSeconds: number } | { breakSeconds: number };

function makeSoundCases(lines: SungWord[][], sound: SongSound): LyricsCase[] {
  const endSeconds = sound.vocals.length / RATE_HZ;
  const middle = findCut(lines, 0.5);
  const [chorus, behind] = [findCut(lines, 0.3), findCut(lines, 0.45)];
  const whole = { startSeconds: 0, endSeconds };
  const repeated = [
    { startSeconds: 0, endSeconds: behind.seconds },
    { startSeconds: chorus.seconds, endSeconds: behind.seconds },
    { startSeconds: behind.seconds, endSeconds },
  ];
  const bySeconds = (parts: readonly Part[]) =>
    lines.map((line) =>
      line.map(({ text, startSeconds }) => ({ text, startSeconds: mapTime(parts, startSeconds) })),
    );
  const make = (name: string, parts: readonly Part[], words: CaseWord[][]): LyricsCase => ({
    name,
    words: words.flat(),
    text: joinLines(words),
    samples: spliceSound(sound, parts),
    spoken: spliceText(sound.spoken, parts),
  });
  const gap = { breakSeconds: BREAK_SECONDS };
  const withBreak = [
    { startSeconds: 0, endSeconds: middle.seconds },
    gap,
    { startSeconds: middle.seconds, endSeconds },
  ];
  const twice = bySeconds(repeated);
  const pick = (which: 0 | -1) => (line: CaseWord[]) =>
    line.map(({ text, startSeconds }) => ({ text, startSeconds: startSeconds.slice(which).slice(0, 1) }));
  return [
    make("a break of 45 s", withBreak, bySeconds(withBreak)),
    make("a chorus sung again, and written", repeated, [
      ...twice.slice(0, behind.line).map(pick(0)),
      ...twice.slice(chorus.line).map(pick(-1)),
    ]),
    make("a chorus sung again, not written", repeated, twice),
    make("45 s before and after", [gap, whole, gap], bySeconds([gap, whole, gap])),
    {
      ...make("a minute not recognised", [whole], bySeconds([whole])),
      spoken: withoutMinute(sound.spoken, middle.seconds),
    },
  ];
}

/** The longest pause between two lines near a share of the song. */
function findCut(lines: SungWord[][], share: number): { line: number; seconds: number } {
  const cuts = lines.slice(1).map((line, n) => {
    const [from, to] = [lines[n]?.at(-1)?.endSeconds ?? 0, line[0]?.startSeconds ?? 0];
    const rating = Math.min(to - from, 2) - 6 * Math.abs((n + 1) / lines.length - share);
    return { line: n + 1, seconds: (from + to) / 2, rating };
  });
  return cuts.reduce((best, cut) => (cut.rating > best.rating ? cut : best));
}

const lengthOf = (part: Part) =>
  "breakSeconds" in part ? part.breakSeconds : part.endSeconds - part.startSeconds;

/** Every time at which a moment of the song is heard in the parts. */
function mapTime(parts: readonly Part[], seconds: number): number[] {
  const times: number[] = [];
  let now = 0;
  for (const part of parts) {
    if (!("breakSeconds" in part) && seconds >= part.startSeconds && seconds < part.endSeconds) {
      times.push(now + seconds - part.startSeconds);
    }
    now += lengthOf(part);
  }
  return times;
}

function spliceSound({ vocals, rest }: SongSound, parts: readonly Part[]): Float32Array {
  const toFrame = (seconds: number) => Math.round(seconds * RATE_HZ);
  const pieces = parts.map((part) =>
    "breakSeconds" in part
      ? rest.subarray(0, toFrame(part.breakSeconds)).map((sample) => sample * RESIDUE_GAIN)
      : vocals.subarray(toFrame(part.startSeconds), toFrame(part.endSeconds)),
  );
  const spliced = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    spliced.set(piece, at);
    at += piece.length;
  }
  return spliced;
}

/** What is recognised in spliced sound: the words of its parts, which saves a transcription for each case. */
function spliceText(spoken: TimedText, parts: readonly Part[]): TimedText {
  const words = spoken.lines
    .flatMap((line) => line.words)
    .flatMap((word) =>
      mapTime(parts, word.startSeconds).map((startSeconds) => ({
        ...word,
        startSeconds,
        endSeconds: startSeconds + word.endSeconds - word.startSeconds,
      })),
    )
    .sort((a, b) => a.startSeconds - b.startSeconds);
  const durationSeconds = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  return { ...spoken, lines: [{ words }], durationSeconds };
}

function withoutMinute(spoken: TimedText, middleSeconds: number): TimedText {
  const isOutside = ({ startSeconds }: { startSeconds: number }) =>
    Math.abs(startSeconds - middleSeconds) > 30;
  return { ...spoken, lines: spoken.lines.map(({ words }) => ({ words: words.filter(isOutside) })) };
}
