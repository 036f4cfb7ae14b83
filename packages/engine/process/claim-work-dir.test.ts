import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimWorkDir } from "./claim-work-dir.ts";

let workDir: string;
beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), "stemwright-claim-"));
});
afterEach(() => rmSync(workDir, { recursive: true, force: true }));

const owner = () =>
  JSON.parse(readFileSync(join(workDir, "owner.json"), "utf8")) as { pid: number; startTicks: string };

describe("claiming a work folder", () => {
  it("[Q5] kills the process that still works in it", async () => {
    const claim = JSON.stringify(join(import.meta.dirname, "claim-work-dir.ts"));
    const script = `import { claimWorkDir } from ${claim}; await claimWorkDir(process.argv[1], process.pid); console.log("claimed"); setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", script, workDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(other, "exit");
    await once(other.stdout, "data");
    expect(owner().pid).toBe(other.pid);
    await claimWorkDir(workDir, process.pid);
    expect((await ended)[1]).toBe("SIGKILL");
    expect(owner().pid).toBe(process.pid);
  });

  it("[Q5] leaves a process alone that merely reuses the old owner's pid", async () => {
    writeFileSync(join(workDir, "owner.json"), JSON.stringify({ pid: process.ppid, startTicks: "1" }));
    await claimWorkDir(workDir, process.pid);
    expect(() => process.kill(process.ppid, 0)).not.toThrow();
    expect(owner().pid).toBe(process.pid);
  });
});
