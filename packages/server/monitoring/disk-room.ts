import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { KeptStems } from "../media/kept-stems.ts";

export type DiskSpace = {
  freeBytes: number;
  /** What would be free if every file on the volume were gone. */
  usableBytes: number;
};

/** The disks that this process writes to. */
export interface DiskRoom {
  /** Of the disk with the least free space. */
  look(): Promise<DiskSpace>;
  /** Whether less is free than must stay free, and how much; cached stems are evicted first. */
  findShortage(): Promise<string | undefined>;
  /** Evicts the cached stems; returns how many there were. */
  makeRoom(facts?: { taskId: string }): Promise<number>;
}

/** As large as can be: of a file system that does not say. */
const UNKNOWN: DiskSpace = { freeBytes: Number.POSITIVE_INFINITY, usableBytes: Number.POSITIVE_INFINITY };

/** With less, anything may fail, and PostgreSQL can't write its log. */
const NOTHING_BYTES = 16 * 1024 ** 2;

export const isUsedUp = ({ freeBytes }: DiskSpace): boolean => freeBytes < NOTHING_BYTES;

/** Of the folder's volume, or of its parent's until the folder exists. */
export async function readDiskSpace(dir: string): Promise<DiskSpace> {
  try {
    const { bavail, bfree, blocks, bsize } = await statfs(dir);
    return blocks === 0
      ? UNKNOWN
      : { freeBytes: bavail * bsize, usableBytes: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(dir) === dir) throw error;
    return await readDiskSpace(dirname(dir));
  }
}

export function makeDiskRoom(options: {
  dirs: readonly string[];
  minBytes: number;
  keptStems: KeptStems;
  log: Pick<FastifyBaseLogger, "warn">;
}): DiskRoom {
  const { dirs, minBytes, keptStems, log } = options;

  async function look(): Promise<DiskSpace> {
    const spaces = await Promise.all(dirs.map(readDiskSpace));
    return spaces.reduce((least, space) => (space.freeBytes < least.freeBytes ? space : least), UNKNOWN);
  }
  /** A volume that does not say how full it is must not stop the service. */
  const lookSafely = () =>
    look().catch((error) => {
      log.warn({ err: error }, "failed to read free disk space");
      return UNKNOWN;
    });

  return {
    look: lookSafely,
    makeRoom: keptStems.giveUp,
    async findShortage() {
      const isShort = async () => (await lookSafely()).freeBytes < minBytes;
      if (!(await isShort())) return undefined;
      if ((await keptStems.giveUp()) > 0 && !(await isShort())) return undefined;
      const { freeBytes } = await lookSafely();
      return `the disk is nearly full: ${freeBytes} bytes are free, DISK_FREE_MIN_BYTES asks for ${minBytes}`;
    },
  };
}
