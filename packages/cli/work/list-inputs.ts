import { glob, open, readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { INPUT_FORMATS } from "@stemwright/contract/formats";
import { CliError } from "../cli-error.ts";

const MEDIA = new Set<string>([...INPUT_FORMATS.audio, ...INPUT_FORMATS.video]);

export const isUrl = (text: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
const extensionOf = (path: string) => extname(path).slice(1).toLowerCase();
/** MPEG transport streams share them with TypeScript. */
const AMBIGUOUS = ["ts", "mts"];
const SYNC_BYTE = 0x47;

async function isMedia(path: string): Promise<boolean> {
  const extension = extensionOf(path);
  return MEDIA.has(extension) && (!AMBIGUOUS.includes(extension) || (await isTransportStream(path)));
}

/** Packets of 188 bytes, or of 192 with four before the sync byte. */
async function isTransportStream(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(200), position: 0 });
  const begins = (...at: number[]) => at.every((byte) => buffer[byte] === SYNC_BYTE);
  return begins(0, 188) || begins(4, 196);
}

async function filterMedia(paths: readonly string[]): Promise<string[]> {
  const areMedia = await Promise.all(paths.map(isMedia));
  return paths.filter((_, index) => areMedia[index]);
}

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
  for await (const path of glob(pattern)) matches.push(path);
  return (await filterMedia(matches)).sort();
}

/** A folder named after a file beside it holds that file's outputs and is not an input. */
async function listFolder(folder: string, options: ListOptions): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const files = (await filterMedia(paths)).map((path) => basename(path));
  const outputs = new Set(files.map((name) => basename(name, extname(name))));
  const folders = entries.filter((entry) => entry.isDirectory() && !outputs.has(entry.name));
  const below = options.recursive
    ? await Promise.all(folders.map(({ name }) => listFolder(join(folder, name), options)))
    : [];
  return [...files.map((name) => join(folder, name)), ...below.flat()];
}
