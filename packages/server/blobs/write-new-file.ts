import { type FileHandle, open } from "node:fs/promises";
import { isOutOfSpace } from "../faults/is-out-of-space.ts";
import type { DiskRoom } from "../monitoring/disk-room.ts";

export type FileRoom = Pick<DiskRoom, "findShortage" | "makeRoom">;

/** How often the room is looked at while a file grows: the rest of the disk belongs to the database and to Tasks in progress. */
const LOOK_EVERY_BYTES = 16 * 1024 ** 2;

/** There is less room than must stay free. */
const makeShortage = (reason: string) => Object.assign(new Error(reason), { code: "ENOSPC" });

/** For tools and tests: writes until the disk is full. */
export const UNLIMITED_ROOM: FileRoom = { findShortage: async () => undefined, makeRoom: async () => 0 };

/** To be called before each chunk of a file: throws if less room is left than must stay free. */
export function makeRoomCheck(room: FileRoom): (chunkBytes: number) => Promise<void> {
  let untilLookBytes = 0;
  return async (chunkBytes) => {
    if (untilLookBytes <= 0) {
      const shortage = await room.findShortage();
      if (shortage !== undefined) throw makeShortage(shortage);
      untilLookBytes = LOOK_EVERY_BYTES;
    }
    untilLookBytes -= chunkBytes;
  };
}

export async function writeNewFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  room: FileRoom,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  const checkRoom = makeRoomCheck(room);
  try {
    for await (const chunk of chunks) {
      await checkRoom(chunk.length);
      await writeChunk(file, chunk, { room });
    }
  } finally {
    await file.close();
  }
}

/**
 * Writes at the position, or else behind what was written last. If the disk is full, frees space and retries once: a client's upload can't be requested
 * again.
 */
export async function writeChunk(
  file: FileHandle,
  chunk: Buffer,
  { room, position }: { room: FileRoom; position?: number },
): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const at = position === undefined ? null : position + written;
    const write = () => file.write(chunk, written, chunk.length - written, at);
    const { bytesWritten } = await write().catch(async (error: unknown) => {
      if (!isOutOfSpace(error)) throw error;
      await room.makeRoom();
      return await write();
    });
    written += bytesWritten;
  }
}
