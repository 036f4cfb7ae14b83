import { type FileHandle, open } from "node:fs/promises";
import { isOutOfSpace } from "../faults/is-out-of-space.ts";
import type { DiskRoom } from "../monitoring/disk-room.ts";

export type FileRoom = Pick<DiskRoom, "findShortage" | "makeRoom">;

/** How often the room is looked at while a file grows: the rest of the disk belongs to the database and to Tasks in progress. */
const LOOK_EVERY_BYTES = 16 * 1024 ** 2;

/** There is less room than must stay free. */
const makeShortage = (reason: string) => Object.assign(new Error(reason), { code: "ENOSPC" });

/** If the disk is full, frees space and retries once: a client's upload can't be requested again. */
export async function writeNewFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  room: FileRoom,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let untilLookBytes = 0;
  try {
    for await (const chunk of chunks) {
      if (untilLookBytes <= 0) {
        const shortage = await room.findShortage();
        if (shortage !== undefined) throw makeShortage(shortage);
        untilLookBytes = LOOK_EVERY_BYTES;
      }
      await writeChunk(file, chunk, room);
      untilLookBytes -= chunk.length;
    }
  } finally {
    await file.close();
  }
}

async function writeChunk(file: FileHandle, chunk: Buffer, room: FileRoom): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const write = () => file.write(chunk, written);
    const { bytesWritten } = await write().catch(async (error: unknown) => {
      if (!isOutOfSpace(error)) throw error;
      await room.makeRoom();
      return await write();
    });
    written += bytesWritten;
  }
}
