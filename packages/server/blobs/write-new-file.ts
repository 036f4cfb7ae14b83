import { type FileHandle, open } from "node:fs/promises";
import { isOutOfSpace } from "../faults/is-out-of-space.ts";

/** Frees disk space if possible. */
export type MakeRoom = () => Promise<unknown>;

/** If the disk is full, frees space and retries once: a client's upload can't be requested again. */
export async function writeNewFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  makeRoom: MakeRoom,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of chunks) await writeChunk(file, chunk, makeRoom);
  } finally {
    await file.close();
  }
}

async function writeChunk(file: FileHandle, chunk: Buffer, makeRoom: MakeRoom): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const write = () => file.write(chunk, written);
    const { bytesWritten } = await write().catch(async (error: unknown) => {
      if (!isOutOfSpace(error)) throw error;
      await makeRoom();
      return await write();
    });
    written += bytesWritten;
  }
}
