import { glob, readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { INPUT_FORMATS } from "@stemwright/contract/formats";
import { CliError } from "../cli-error.ts";

const MEDIA = new Set<string>([...INPUT_FORMATS.audio, ...INPUT_FORMATS.video]);

export const isUrl = (text: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
const isMedia = (path: string) => MEDIA.has(extname(path).slice(1).toLowerCase());
const isPattern = (text: string) => /[*?[{]/.test(text);

type ListOptions = { recursive: boolean };

/** The files meant by paths, folders and patterns, each once, in the order given; folders by name. */
export async function listInputs(given: readonly string[], options: ListOptions): Promise<string[]> {
  const found = new Set<string>();
  for (const word of given) for (const path of await listOne(word, options)) found.add(path);
  if (found.size === 0)
    throw new CliError("NO_INPUT", `No audio or video found in ${given.join(", ")}. Is the name right?`);
  return [...found];
}

async function listOne(word: string, options: ListOptions): Promise<string[]> {
  if (word === "-" || isUrl(word)) return [word];
  const stats = await stat(word).catch(() => undefined);
  if (stats?.isDirectory()) return await listFolder(word, options);
  if (stats) return [word];
  if (isPattern(word)) return await listMatches(word);
  throw new CliError("NO_INPUT", `${word} does not exist.`);
}

async function listMatches(pattern: string): Promise<string[]> {
  const matches: string[] = [];
  for await (const path of glob(pattern)) if (isMedia(path)) matches.push(path);
  return matches.sort();
}

/** A folder named after a file beside it holds that file's outputs and is not an input. */
async function listFolder(folder: string, options: ListOptions): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile() && isMedia(entry.name)).map(({ name }) => name);
  const outputs = new Set(files.map((name) => basename(name, extname(name))));
  const folders = entries.filter((entry) => entry.isDirectory() && !outputs.has(entry.name));
  const below = options.recursive
    ? await Promise.all(folders.map(({ name }) => listFolder(join(folder, name), options)))
    : [];
  return [...files.map((name) => join(folder, name)), ...below.flat()];
}
