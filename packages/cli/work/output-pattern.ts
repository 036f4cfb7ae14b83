import { statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { CliError } from "../cli-error.ts";

const LOCAL_SPEAKERS = ["dir", "name", "stem", "ext"] as const;
type Place = (typeof LOCAL_SPEAKERS)[number];

/** Where outputs go by default: sound into a folder named after the input, text beside it. */
export const DEFAULT_PATTERNS = {
  sound: "{dir}/{name}/{stem}.{ext}",
  voices: "{dir}/{name}/{stem}.{ext}",
  text: "{dir}/{name}.{ext}",
  detection: "{dir}/{name}.music.{ext}",
  analysis: "{dir}/{name}.analysis.{ext}",
} as const;

/** Turns what `--output` says into a pattern: a folder keeps the default's names. */
export function toOutputPattern(given: string | undefined, byDefault: string): string {
  if (given === undefined || given === "-") return byDefault;
  const unknown = [...given.matchAll(/\{(\w*)\}/g)].find(
    ([, word]) => !LOCAL_SPEAKERS.includes(word as Place),
  );
  if (unknown)
    throw new CliError(
      "USAGE",
      `--output has ${unknown[0]}; use ${LOCAL_SPEAKERS.map((place) => `{${place}}`).join(", ")}.`,
    );
  const isFolder = given.endsWith("/") || statSync(given, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? join(given, byDefault.replace("{dir}/", "")) : given;
}

export function fillPattern(pattern: string, input: string, output: { stem: string; ext: string }): string {
  const values: Record<Place, string> = {
    dir: dirname(input),
    name: basename(input, extname(input)),
    ...output,
  };
  return pattern.replace(/\{(\w+)\}/g, (whole, place: Place) => values[place] ?? whole);
}
