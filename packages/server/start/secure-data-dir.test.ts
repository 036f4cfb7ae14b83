import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { secureContents, secureDataDir } from "./secure-data-dir.ts";

const isRoot = process.getuid?.() === 0;
const FILES = ["encryption.key", "blobs/assets/a/a.wav", "work/task/input", "cache/stems/s/vocals.f32"];

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "stemwright-modes-"));
  for (const file of FILES) {
    await mkdir(dirname(join(dataDir, file)), { recursive: true });
    await writeFile(join(dataDir, file), "secret");
    await chmod(join(dataDir, file), 0o644);
  }
  for (const folder of ["", "blobs", "work", "cache", "cache/stems", "cache/stems/s"])
    await chmod(join(dataDir, folder), 0o755);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(join(dataDir, path))).mode & 0o777).toString(8);
const modesOf = (paths: readonly string[]) => Promise.all(paths.map(modeOf));

describe("the data folder", () => {
  it("[S7] and its direct content are closed to other users, whatever their modes were", async () => {
    await secureDataDir(dataDir);
    expect(await modesOf(["blobs", "work", "cache", "encryption.key"])).toEqual(["700", "700", "700", "600"]);
    // PostgreSQL's user passes through it under root.
    expect(await modeOf("")).toBe(isRoot ? "711" : "700");
  });

  it("[S7] is closed recursively", async () => {
    await symlink("/etc/passwd", join(dataDir, "work/link"));
    const open = (await stat("/etc/passwd")).mode;
    expect(await secureContents(dataDir)).toBeGreaterThanOrEqual(FILES.length);
    expect(await modesOf(FILES)).toEqual(FILES.map(() => "600"));
    expect(await modesOf(["cache/stems", "cache/stems/s"])).toEqual(["700", "700"]);
    expect(await secureContents(dataDir)).toBe(0);
    expect((await stat("/etc/passwd")).mode).toBe(open);
  });

  it.each([
    ["holds what is not the service's", "somebody-elses", 0o755],
    ["is shared by everybody, as /tmp is", "blobs", 0o1777],
  ])("[S7] keeps its own mode where it %s", async (_what, name, mode) => {
    await mkdir(join(dataDir, name), { recursive: true });
    await chmod(dataDir, mode);
    await secureDataDir(dataDir);
    expect((await stat(dataDir)).mode & 0o7777).toBe(mode);
    expect(await modeOf("blobs")).toBe("700");
  });

  it("[S7] may not exist yet", async () => {
    await secureDataDir(join(dataDir, "none"));
  });

  it("[S7] whose modes can't be changed is refused, with what to do", async ({ skip }) => {
    const path = join(dataDir, "cache");
    const isFixed = spawnSync("chattr", ["+i", path]).status === 0;
    skip(!isFixed, "only root can fix a folder, on some file systems");
    try {
      await expect(secureDataDir(dataDir)).rejects.toThrow(
        /cache is open to other users \(mode 755\), and its disk does not let that be changed: set DATA_DIR/,
      );
    } finally {
      spawnSync("chattr", ["-i", path]);
    }
  });

  it("[S7] with another user's files is refused, with what to do", async ({ skip }) => {
    skip(!isRoot, "only root can give files away");
    await chown(join(dataDir, "cache"), 54321, 54321);
    await expect(secureDataDir(dataDir)).rejects.toThrow(
      /cache belongs to user id 54321, but the service was started by user id 0: start it as/,
    );
  });
});
