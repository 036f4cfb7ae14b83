import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { z } from "zod";
import type { Blobs } from "../../domain/ports.ts";
import { discardFiles, type UnclaimedFiles } from "../../domain/storage/unclaimed-files.ts";

/** The decoded input is not stored: it is as large as a stem, and decoding again is fast. */
const LEFT_OUT = ["input.f32", "input.json"];
const LIST = "files.json";

const listSchema = z.array(z.object({ path: z.string(), sizeBytes: z.number() }));
type StoredFile = z.output<typeof listSchema>[number];

export interface Checkpoints {
  /** Stores what the engine has finished so far and returns its key; undefined if that is nothing, or too much. */
  save(engineDir: string, token: string): Promise<string | undefined>;
  /** Copies a checkpoint to an empty folder; false if it is gone. */
  restore(key: string, engineDir: string): Promise<boolean>;
  discard(key: string): Promise<void>;
}

/**
 * What a stopping worker leaves for one on another machine: the engine's spools, in the store. They are announced before they are written, so
 * the sweeper removes them after a day if nobody used them or a kill interrupted the copy.
 */
export function makeCheckpoints(options: {
  blobs: Blobs;
  unclaimed: UnclaimedFiles;
  maxBytes: number;
}): Checkpoints {
  const { blobs, unclaimed, maxBytes } = options;
  return {
    async save(engineDir, token) {
      const files = await listFiles(engineDir);
      const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (totalBytes === 0 || totalBytes > maxBytes) return undefined;
      const key = `checkpoints/${token}`;
      await unclaimed.announce(key);
      for (const [index, { path }] of files.entries())
        await blobs.write(`${key}/${index}`, createReadStream(join(engineDir, path)));
      // Written last: if the list exists, all files do.
      await blobs.write(`${key}/${LIST}`, Readable.from(JSON.stringify(files)));
      return key;
    },
    async restore(key, engineDir) {
      await rm(engineDir, { recursive: true, force: true });
      if ((await blobs.findSize(`${key}/${LIST}`)) === undefined) return false;
      const files = listSchema.parse(await json(await blobs.read(`${key}/${LIST}`)));
      for (const [index, { path, sizeBytes }] of files.entries()) {
        const target = join(engineDir, path);
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await blobs.copyTo(`${key}/${index}`, target);
        if ((await stat(target)).size !== sizeBytes) throw new Error(`checkpoint ${key} is not whole`);
      }
      return true;
    },
    discard: (key) => discardFiles({ blobs, unclaimed }, key),
  };
}

async function listFiles(dir: string): Promise<StoredFile[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((path) => !LEFT_OUT.includes(path));
  return await Promise.all(
    paths.sort().map(async (path) => ({ path, sizeBytes: (await stat(join(dir, path))).size })),
  );
}
