import { readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { openWorkDir } from "./open-work-dir.ts";

const host = hostname();
/** No process has it. */
const GONE_PID = 2 ** 22 + 1;
let workDir: string;
beforeEach(async () => {
  workDir = await makeTempDir("work-dirs");
});

describe("the folder of a Task", () => {
  it.each([
    { whose: "a worker that died", before: { host, pid: GONE_PID } },
    { whose: "this worker", before: { host, pid: 1 }, self: { host, pid: 1 } },
    { whose: "a worker on another machine", before: { host: "another", pid: process.ppid } },
  ])("[Q2] keeps what $whose left", async ({ before, self }) => {
    const taskDir = await openWorkDir(workDir, "task", before);
    await writeFile(join(taskDir, "spool"), "half");
    expect(await openWorkDir(workDir, "task", self)).toBe(taskDir);
    expect(await readFile(join(taskDir, "spool"), "utf8")).toBe("half");
  });

  it("[Q5] is a new one while the previous worker may still be writing", async () => {
    const frozen = { host, pid: process.ppid };
    const taskDir = await openWorkDir(workDir, "task", frozen);
    await writeFile(join(taskDir, "spool"), "half");
    expect(await openWorkDir(workDir, "task")).toBe(taskDir);
    expect(await readdir(taskDir)).toEqual(["out", "owner"]);
    const putAway = (await readdir(workDir)).find((name) => name !== "task") ?? "";
    expect(await readFile(join(workDir, putAway, "spool"), "utf8")).toBe("half");
  });
});
