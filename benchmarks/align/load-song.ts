import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { MarkedWord } from "./boundary-errors.ts";

/** A word of a song, and the line of the text it is in. */
export type SungWord = MarkedWord & { line: number };

export type Song = { path: string; name: string; language: string; words: SungWord[]; text: string };

const LANGUAGES: Record<string, string> = { Confession: "fr", Mes: "fr", Veraenderung: "de" };

/** The songs of a folder: each an mp3 with `.words.txt` and `.words.csv` next to it. */
export function loadSongs(folder: string): Song[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".mp3"))
    .map((name) => loadSong(join(folder, name)));
}

function loadSong(path: string): Song {
  const read = (extension: string) =>
    readFileSync(path.replace(/\.mp3$/, extension), "utf8")
      .trim()
      .split("\n");
  const texts = read(".words.txt");
  let line = 0;
  const words = read(".words.csv")
    .slice(1)
    .map((row, n) => {
      const [start = "", end = "", lineEnd = ""] = row.split(",");
      const word = { text: texts[n] ?? "", startSeconds: Number(start), endSeconds: Number(end), line };
      if (lineEnd !== "nan") line++;
      return word;
    });
  const name = basename(path, ".mp3");
  const language = LANGUAGES[name.split("_")[0] ?? ""] ?? "en";
  return { path, name, language, words, text: joinLines(listLines(words)) };
}

export function listLines(words: readonly SungWord[]): SungWord[][] {
  return [...Map.groupBy(words, ({ line }) => line).values()];
}

export function joinLines(lines: readonly (readonly { text: string }[])[]): string {
  return lines.map((line) => line.map(({ text }) => text).join(" ")).join("\n");
}
