import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StemwrightError } from "../errors.ts";
import type { Platform } from "./platform.ts";

/** Node, Deno and Bun. */
export const platform: Platform = {
  canStreamBodies: true,

  async loadFile(path) {
    const found = await stat(path);
    if (!found.isFile()) throw new StemwrightError(`Not a file: ${path}`);
    return {
      name: basename(path),
      sizeBytes: found.size,
      modifiedAtMs: Math.floor(found.mtimeMs),
      open: (part) => createReadStream(path, part && { start: part.start, end: part.end - 1 }),
    };
  },

  async writeFile(path, content) {
    const partialPath = `${path}.${crypto.randomUUID()}.part`;
    try {
      await mkdir(dirname(path), { recursive: true });
      const source = Readable.fromWeb(content as Parameters<typeof Readable.fromWeb>[0]);
      await pipeline(source, createWriteStream(partialPath, { flags: "wx" }));
      await rename(partialPath, path);
    } catch (error) {
      await rm(partialPath, { force: true });
      throw error;
    }
  },

  joinPath: join,
};
