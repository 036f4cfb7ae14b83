import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listServiceProcesses, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MIB = 1024 ** 2;
const mountDisk = (megabytes: number) =>
  `mount -t tmpfs -o size=${megabytes}m,mode=711 none "$DATA_DIR" || exit\n`;
/** A private 8 MiB disk, of which a cached stem takes 6. The database is on another one. */
const SMALL_DISK = `
  ${mountDisk(8)}
  mkdir -p "$DATA_DIR/cache/stems/entry/owners" && touch "$DATA_DIR/cache/stems/entry/owners/task"
  head -c ${6 * MIB} /dev/zero > "$DATA_DIR/cache/stems/entry/vocals"
  exec "$@"`;
const MOUNTS_OF_ITS_OWN = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
const onDisk = (disk: string, ...command: string[]): [string, ...string[]] => [
  "unshare",
  ...MOUNTS_OF_ITS_OWN,
  ...["sh", "-c", disk, "sh"],
  ...command,
];

let dataDir: string;
let database: TestDatabase;
beforeAll(async () => {
  dataDir = await makeTempDir("full-disk");
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Stored files, listed from inside the service's mount namespace. */
async function listStored(folder: string): Promise<string[]> {
  const [api] = await listServiceProcesses(dataDir, "api");
  return await readdir(`/proc/${api?.pid}/root${join(dataDir, "blobs", folder)}`);
}

const canMount = () => {
  const [program, ...words] = onDisk(SMALL_DISK, "true");
  return spawnSync(program, words, { env: { ...process.env, DATA_DIR: "/mnt" } }).status === 0;
};

it.runIf(canMount())(
  "[P2] [E9] an upload that finds the disk full continues after cached stems are evicted; without any it is 503 and leaves nothing",
  async () => {
    const command = onDisk(SMALL_DISK, "npm", "run", "api");
    const service = await startService({
      dataDir,
      command,
      environment: { DATABASE_URL: database.url, DISK_FREE_MIN_BYTES: "0" },
    });
    try {
      const content = randomBytes(5 * MIB);
      const { link } = await service.upload(content, "a.wav");
      expect(service.output()).toContain("disk full, evicting cached stems");
      expect(content.equals(Buffer.from(await (await fetch(link)).arrayBuffer()))).toBe(true);
      await expect(service.upload(content, "a.wav")).rejects.toThrow(/503 .*STORAGE_FULL/);
      expect(await listStored("partial")).toEqual([]);
      expect(await listStored("assets")).toHaveLength(1);
    } finally {
      await service.stop();
    }
  },
);

/** Writes until nothing more fits. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (const sizeBytes of [MIB, 4096, 1])
      for (;;)
        if ((await file.write(Buffer.alloc(sizeBytes)).catch(() => ({ bytesWritten: 0 }))).bytesWritten === 0)
          break;
  } finally {
    await file.close();
  }
}

it.runIf(canMount())(
  "[S4] [E9] an embedded database that a full disk keeps from starting is 503 STORAGE_FULL, and back when there is room",
  async () => {
    const command = onDisk(`${mountDisk(600)} exec "$@"`, "npm", "start");
    const service = await startService({ dataDir, command });
    try {
      const [main] = await listServiceProcesses(dataDir, "all");
      const seenDir = `/proc/${main?.pid}/root${dataDir}`;
      const pidFile = await readFile(join(seenDir, "postgres/cluster/data/postmaster.pid"), "utf8");
      await fill(join(seenDir, "filler"));
      process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
      const codeOf = async (path: string) =>
        ((await (await service.call(path)).json()) as { code?: string }).code;
      await expect.poll(() => codeOf("/tasks")).toBe("STORAGE_FULL");
      expect(await codeOf("/health/ready")).toBe("STORAGE_FULL");
      expect(service.output()).toMatch(/"The disk is full: .*embedded PostgreSQL is down, restarting it/);
      await rm(join(seenDir, "filler"));
      await expect.poll(async () => (await service.call("/tasks")).status, { timeout: 60_000 }).toBe(200);
    } finally {
      await service.stop();
    }
  },
);
