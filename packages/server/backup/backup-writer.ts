import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SUMS_NAME } from "./backup-format.ts";
import { makeTarHeader, TAR_BLOCK_BYTES, toPaddingBytes } from "./tar-header.ts";

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes the files of a backup, in order. */
export interface BackupWriter {
  add(name: string, sizeBytes: number, content: Content): Promise<void>;
  addText(name: string, text: string): Promise<void>;
  /** Writes the checksums; only then does the backup appear under its name. */
  finish(): Promise<void>;
  abort(): Promise<void>;
}

interface Sink {
  write(name: string, sizeBytes: number, content: Content): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}

/** A tar if the path ends in `.tar`, otherwise a folder. */
export async function openBackupWriter(path: string): Promise<BackupWriter> {
  const sink = path.endsWith(".tar") ? await openTar(path) : await openFolder(path);
  const sums: string[] = [];
  async function add(name: string, sizeBytes: number, content: Content): Promise<void> {
    const hash = createHash("sha256");
    await sink.write(name, sizeBytes, hashing(content, hash));
    sums.push(`${hash.digest("hex")}  ${name}\n`);
  }
  const toBytes = (text: string) => [Buffer.from(text)];
  return {
    add,
    addText: (name, text) => add(name, Buffer.byteLength(text), toBytes(text)),
    async finish() {
      const text = sums.join("");
      await sink.write(SUMS_NAME, Buffer.byteLength(text), toBytes(text));
      await sink.finish();
    },
    abort: () => sink.abort(),
  };
}

async function* hashing(content: Content, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

async function writeAll(file: FileHandle, name: string, sizeBytes: number, content: Content): Promise<void> {
  let writtenBytes = 0;
  for await (const chunk of content) {
    await file.writeFile(chunk);
    writtenBytes += chunk.length;
  }
  if (writtenBytes !== sizeBytes)
    throw new Error(`${name} has ${writtenBytes} bytes where ${sizeBytes} were stated`);
}

async function openTar(path: string): Promise<Sink> {
  const partialPath = `${path}.partial`;
  const file = await open(partialPath, "wx", 0o600);
  return {
    async write(name, sizeBytes, content) {
      await file.writeFile(makeTarHeader({ name, sizeBytes, modifiedAt: new Date() }));
      await writeAll(file, name, sizeBytes, content);
      await file.writeFile(Buffer.alloc(toPaddingBytes(sizeBytes)));
    },
    async finish() {
      await file.writeFile(Buffer.alloc(2 * TAR_BLOCK_BYTES));
      await file.sync();
      await file.close();
      await rename(partialPath, path);
    },
    async abort() {
      await file.close();
      await rm(partialPath, { force: true });
    },
  };
}

async function openFolder(path: string): Promise<Sink> {
  const partialPath = `${path}.partial`;
  await mkdir(partialPath, { mode: 0o700 });
  return {
    async write(name, sizeBytes, content) {
      const filePath = join(partialPath, name);
      await mkdir(dirname(filePath), { recursive: true, mode: 0o700 });
      await using file = await open(filePath, "wx", 0o600);
      await writeAll(file, name, sizeBytes, content);
      await file.sync();
    },
    finish: () => rename(partialPath, path),
    abort: () => rm(partialPath, { recursive: true, force: true }),
  };
}
