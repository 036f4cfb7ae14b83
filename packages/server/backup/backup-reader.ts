import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../faults/start-error.ts";
import { type BackupManifest, backupManifestSchema, MANIFEST_NAME, SUMS_NAME } from "./backup-format.ts";
import { parseTarHeader, TAR_BLOCK_BYTES, toPaddingBytes } from "./tar-header.ts";

export type BackupEntry = {
  name: string;
  sizeBytes: number;
  content(): AsyncIterable<Buffer>;
};

/** Every file of a backup in order, checksums last. */
export async function* readBackup(path: string): AsyncGenerator<BackupEntry> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new StartError(`There is no backup at ${path}`);
  yield* stats.isDirectory() ? readFolder(path) : readTar(path);
}

async function* readTar(path: string): AsyncGenerator<BackupEntry> {
  await using file = await open(path);
  const { size: endBytes } = await file.stat();
  for (let at = 0; ; ) {
    const header = Buffer.alloc(TAR_BLOCK_BYTES);
    const { bytesRead } = await file.read(header, 0, TAR_BLOCK_BYTES, at);
    if (bytesRead < TAR_BLOCK_BYTES) throw new StartError(`${path} is cut off`);
    const entry = parseTarHeader(header);
    if (entry === undefined) return;
    const start = at + TAR_BLOCK_BYTES;
    const end = start + entry.sizeBytes;
    if (end > endBytes) throw new StartError(`${path} is cut off within ${entry.name}`);
    yield {
      ...entry,
      content: () => (entry.sizeBytes === 0 ? toEmpty() : createReadStream(path, { start, end: end - 1 })),
    };
    at = end + toPaddingBytes(entry.sizeBytes);
  }
}

async function* toEmpty(): AsyncGenerator<Buffer> {}

async function* readFolder(path: string): AsyncGenerator<BackupEntry> {
  const sums = await readFile(join(path, SUMS_NAME), "utf8").catch(() => {
    throw new StartError(`${path} is incomplete: it has no ${SUMS_NAME}`);
  });
  for (const name of [...parseSums(sums).keys(), SUMS_NAME]) {
    const filePath = join(path, name);
    const stats = await stat(filePath).catch(() => undefined);
    if (stats === undefined) throw new StartError(`The backup lacks ${name}`);
    yield { name, sizeBytes: stats.size, content: () => createReadStream(filePath) };
  }
}

function parseSums(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

export async function readText({ content }: BackupEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content()) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads a whole backup before any of it is used: verifies it and returns its manifest. */
export async function checkBackup(path: string): Promise<BackupManifest> {
  const found = new Map<string, string>();
  let manifest: BackupManifest | undefined;
  let sums: Map<string, string> | undefined;
  for await (const entry of readBackup(path)) {
    if (entry.name === SUMS_NAME) {
      sums = parseSums(await readText(entry));
      continue;
    }
    const hash = createHash("sha256");
    for await (const chunk of entry.content()) hash.update(chunk);
    found.set(entry.name, hash.digest("hex"));
    if (entry.name === MANIFEST_NAME) manifest = parseManifest(await readText(entry));
  }
  if (sums === undefined || manifest === undefined) throw new StartError(`${path} is an incomplete backup`);
  for (const [name, sum] of sums)
    if (found.get(name) !== sum)
      throw new StartError(`${name} of the backup is damaged or missing; nothing was restored`);
  return manifest;
}

function parseManifest(text: string): BackupManifest {
  const parsed = backupManifestSchema.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new StartError(`${MANIFEST_NAME} is not one that this version reads: use the version that made it`);
  return parsed.data;
}
