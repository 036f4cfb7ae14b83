import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { makeDiskRoom, readDiskSpace } from "./disk-room.ts";

const log = { warn: () => {} };
const MORE_THAN_ANY_DISK = Number.MAX_SAFE_INTEGER;

it("[Q21] the space is that of the folder's volume, or of its parent's until it exists", async () => {
  const dir = await makeTempDir("disk-room");
  const later = await readDiskSpace(join(dir, "not", "yet"));
  await mkdir(join(dir, "not/yet"), { recursive: true });
  const now = await readDiskSpace(join(dir, "not", "yet"));
  expect(later.usableBytes).toBe(now.usableBytes);
  expect(now.freeBytes).toBeGreaterThan(0);
  expect(now.freeBytes).toBeLessThanOrEqual(now.usableBytes);
});

it.each([
  { stems: 0, evictions: 1 },
  { stems: 3, evictions: 1 },
])(
  "[Q21] [P2] before a disk is called too full, its $stems cached stems are evicted",
  async ({ stems, evictions }) => {
    let evicted = 0;
    const room = makeDiskRoom({
      dirs: [await makeTempDir("disk-room")],
      minBytes: MORE_THAN_ANY_DISK,
      keptStems: {
        async giveUp() {
          evicted += 1;
          return stems;
        },
      },
      log,
    });
    const shortage = await room.findShortage();
    expect(shortage).toMatch(
      new RegExp(
        `^the disk is nearly full: \\d+ bytes are free, DISK_FREE_MIN_BYTES asks for ${MORE_THAN_ANY_DISK}$`,
      ),
    );
    expect(evicted).toBe(evictions);
  },
);

it("[Q21] a limit of 0, or a volume that does not say how full it is, stops nothing", async () => {
  const dir = await makeTempDir("disk-room");
  const loop = join(dir, "loop");
  await symlink(loop, loop);
  const keptStems = { giveUp: async () => 0 };
  const none = makeDiskRoom({ dirs: [dir], minBytes: 0, keptStems, log });
  expect(await none.findShortage()).toBeUndefined();
  const warned: unknown[] = [];
  const unreadable = makeDiskRoom({
    dirs: [loop],
    minBytes: MORE_THAN_ANY_DISK,
    keptStems,
    log: { warn: (...line: unknown[]) => void warned.push(line) },
  });
  expect(await unreadable.findShortage()).toBeUndefined();
  expect(warned).not.toEqual([]);
});
