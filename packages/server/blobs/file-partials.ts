import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Blobs } from "../domain/ports.ts";
import {
  type PartialFile,
  PartialFileLost,
  type PartialFiles,
  type PartialWriter,
  toPartialKey,
} from "../domain/uploads/partial-files.ts";
import { type FileRoom, makeRoomCheck, UNLIMITED_ROOM, writeChunk } from "./write-new-file.ts";

const CREATE_OR_WRITE = constants.O_CREAT | constants.O_RDWR;

function makeWriter(handle: FileHandle, offset: number, room: FileRoom): PartialWriter {
  const checkRoom = makeRoomCheck(room);
  let writtenBytes = offset;
  async function sync(): Promise<number> {
    const reached = writtenBytes;
    await handle.datasync();
    return reached;
  }
  return {
    async write(chunk) {
      await checkRoom(chunk.length);
      await writeChunk(handle, chunk, { room, position: writtenBytes });
      writtenBytes += chunk.length;
    },
    sync,
    async close() {
      try {
        return await sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** Unfinished files beside the stored ones in one folder: each is written in place, and renamed when it is complete. */
export function openFilePartials(
  own: Blobs,
  { rootDir, room = UNLIMITED_ROOM }: { rootDir: string; room?: FileRoom | undefined },
): PartialFiles {
  const toPath = ({ id }: PartialFile) => join(rootDir, toPartialKey(id));
  const findSize = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
        return undefined;
      },
    );

  return {
    begin: async () => undefined,
    async open(file, offset) {
      const path = toPath(file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Otherwise the missing bytes would be zeros.
      if (offset > ((await findSize(path)) ?? 0)) throw new PartialFileLost();
      return makeWriter(await open(path, CREATE_OR_WRITE, 0o600), offset, room);
    },
    async finish(file) {
      const sizeBytes = await findSize(toPath(file));
      if (sizeBytes === file.sizeBytes) await own.adopt(file.key, toPath(file));
      else if ((await own.findSize(file.key)) !== file.sizeBytes) throw new PartialFileLost();
    },
    abort: (file) => rm(toPath(file), { force: true }),
  };
}
