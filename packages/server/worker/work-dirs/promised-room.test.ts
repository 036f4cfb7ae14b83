import { mkdir, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { makeId } from "../../domain/ids.ts";
import { freeLeftWorkUnasked } from "./free-left-work.ts";
import { openWorkDir } from "./open-work-dir.ts";
import { countPromisedBytes, endPromise, promiseRoom } from "./promised-room.ts";

const host = hostname();
/** No process has it. */
const GONE = { host, pid: 2 ** 22 + 1 };
const ALIVE = { host, pid: process.ppid };
let workDir: string;
beforeEach(async () => {
  workDir = await makeTempDir("promised-room");
});

describe("the room promised to Tasks in progress", () => {
  it("[Q21] is what they will still take, of live workers and without the one that asks", async () => {
    const busy = await openWorkDir(workDir, "busy", ALIVE);
    await promiseRoom(busy, 1_000_000);
    const dead = await openWorkDir(workDir, "dead", GONE);
    await promiseRoom(dead, 5_000_000);
    await promiseRoom(await openWorkDir(workDir, "asking"), 7_000_000);
    await openWorkDir(workDir, "unknown", ALIVE);
    const before = await countPromisedBytes(workDir, "asking");
    expect(before).toBeGreaterThan(900_000);
    expect(before).toBeLessThanOrEqual(1_000_000);
    await writeFile(join(busy, "spool"), Buffer.alloc(409_600, 1));
    expect(before - (await countPromisedBytes(workDir, "asking"))).toBe(409_600);
    await writeFile(join(busy, "spool"), Buffer.alloc(2_000_000, 1));
    expect(await countPromisedBytes(workDir, "asking")).toBe(0);
    await promiseRoom(busy, 9_000_000);
    await endPromise(busy);
    expect(await countPromisedBytes(workDir, "asking")).toBe(0);
  });
});

describe("what Tasks without a worker have left, while the database can't be asked", () => {
  it("[Q21] is removed if it is this process's or a dead one's, but not of the Task in progress", async () => {
    const [own, dead, current, busy, elsewhere] = Array.from({ length: 5 }, makeId);
    await openWorkDir(workDir, own ?? "");
    await openWorkDir(workDir, dead ?? "", GONE);
    await openWorkDir(workDir, current ?? "");
    await openWorkDir(workDir, busy ?? "", ALIVE);
    await openWorkDir(workDir, elsewhere ?? "", { host: "another", pid: GONE.pid });
    const unsigned = makeId();
    await mkdir(join(workDir, unsigned));
    await mkdir(join(workDir, "not.a.task"));
    expect(await freeLeftWorkUnasked(workDir, current)).toBe(2);
    expect((await readdir(workDir)).sort()).toEqual(
      [current, busy, elsewhere, unsigned, "not.a.task"].sort(),
    );
  });
});
