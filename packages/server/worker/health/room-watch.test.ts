import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { makeId } from "../../domain/ids.ts";
import type { DiskRoom } from "../../monitoring/disk-room.ts";
import { openWorkDir } from "../work-dirs/open-work-dir.ts";
import { watchRoom } from "./room-watch.ts";

const SHORTAGE = "the disk is nearly full";
const log = { info: () => {}, warn: () => {} };

async function watch({ freeBytes = 1e12 }: { freeBytes?: number } = {}) {
  const workDir = await makeTempDir("room-watch");
  const state = { freeBytes, evicted: 0, freed: 0, changes: 0 };
  const room: DiskRoom = {
    look: async () => ({ freeBytes: state.freeBytes, usableBytes: 1e12 }),
    findShortage: async () => (state.freeBytes < 100 ? SHORTAGE : undefined),
    makeRoom: async () => ++state.evicted,
  };
  const watch = watchRoom(
    {
      ...{ room, workDir, log, leftWorkKeptMs: 0, runKeptMs: 0 },
      async freeLeftWork() {
        state.freeBytes = 1e12;
        return ++state.freed;
      },
    },
    () => (state.changes += 1),
  );
  return { workDir, state, watch };
}
const never = new AbortController().signal;

describe("waiting for room", () => {
  it("[Q21] removes what Tasks without a worker have left, if that is what fills the disk", async () => {
    const { watch: disk, state } = await watch({ freeBytes: 5 });
    const waiting = disk.waitForRoom(never);
    await expect.poll(() => disk.findFault(), { interval: 5 }).toBe(SHORTAGE);
    await waiting;
    expect(disk.findFault()).toBeUndefined();
    expect(state).toMatchObject({ freed: 1, changes: 2 });
  });

  it("[Q21] ends when the worker stops", async () => {
    const { watch: disk } = await watch({ freeBytes: 5 });
    await disk.waitForRoom(AbortSignal.abort());
    expect(disk.findFault()).toBe(SHORTAGE);
  });

  it("[Q21] after a Task found no room, the volume's free space is not believed until something could be written", async () => {
    const { watch: disk, workDir } = await watch();
    // Where writing fails as it does for a user whose quota is used up.
    await symlink("/dev/full", join(workDir, `trial.${process.pid}`));
    disk.noteFull();
    await disk.look();
    expect(disk.findFault()).toBe("the disk is full: nothing can be written");
    await disk.look();
    expect(disk.findFault()).toBeUndefined();
    expect(await readdir(workDir)).toEqual([]);
  });
});

describe("while the database is out of reach", () => {
  it("[Q21] [S4] a used up disk is freed for it: cached stems, what was left, and then the Task in progress", async () => {
    const { watch: disk, state, workDir } = await watch({ freeBytes: 5 });
    const [left = "", current = ""] = [makeId(), makeId()];
    for (const id of [left, current]) await openWorkDir(workDir, id);
    await disk.during(current, async (full) => {
      await disk.freeForDatabase();
      expect(full.reason).toMatchObject({ code: "ENOSPC" });
    });
    expect(await readdir(workDir)).toEqual([]);
    expect(state.evicted).toBe(1);
  });

  it("[Q21] nothing is removed while the disk has room: something else keeps the database away", async () => {
    const { watch: disk, state, workDir } = await watch();
    await openWorkDir(workDir, makeId());
    await disk.during(makeId(), async (full) => {
      await disk.freeForDatabase();
      expect(full.aborted).toBe(false);
    });
    expect(await readdir(workDir)).toHaveLength(1);
    expect(state.evicted).toBe(0);
  });
});
