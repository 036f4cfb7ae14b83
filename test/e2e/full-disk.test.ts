import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ServiceHealth, Task, Worker } from "@stemwright/contract";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { listServiceProcesses, type Service, startService } from "../support/service.ts";
import { findNoMountReason, mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MIB = 1024 ** 2;
const PROJECT_DIR = join(import.meta.dirname, "../..");

const noMountReason = findNoMountReason();
describe.skipIf(noMountReason !== undefined)(
  `a service on a small disk of its own${noMountReason === undefined ? "" : `, skipped: ${noMountReason}`}`,
  () => {
    let dataDir: string;
    let database: TestDatabase | undefined;
    let disk: SmallDisk;
    let service: Service;
    beforeEach(async () => {
      dataDir = await makeTempDir("full-disk");
    });
    afterEach(async () => {
      await service.stop();
      await disk.close();
      await database?.close();
      database = undefined;
    });
    const startApi = async (megabytes: number, options: Parameters<typeof start>[1] = {}) => {
      database = await openTestDatabase();
      await start(megabytes, {
        ...options,
        command: ["npm", "run", "api"],
        environment: { DATABASE_URL: database.url, ...options.environment },
      });
    };

    async function start(
      megabytes: number,
      options: { command?: string[]; environment?: Record<string, string>; prepare?(): Promise<void> },
    ): Promise<void> {
      const { command = ["npm", "start"], environment = {}, prepare = async () => {} } = options;
      disk = await mountSmallDisk(dataDir, megabytes);
      await prepare();
      service = await startService({
        dataDir,
        command: disk.enter(PROJECT_DIR, ...command),
        environment: { DISK_FREE_MIN_BYTES: String(32 * MIB), ...environment },
      });
    }
    const ask = async <Answer>(path: string) => (await (await service.call(path)).json()) as Answer;
    const codeOf = async (path: string) => (await ask<{ code?: string }>(path)).code;
    const listStored = (folder: string) => readdir(disk.toSeen(join(dataDir, "blobs", folder)));

    it("[P2] [E9] an upload that finds the disk full continues after cached stems are evicted; without any it is 503 and leaves nothing", async () => {
      await startApi(8, {
        environment: { DISK_FREE_MIN_BYTES: "0" },
        async prepare() {
          const entry = disk.toSeen(join(dataDir, "cache/stems/entry"));
          await mkdir(join(entry, "owners"), { recursive: true });
          await writeFile(join(entry, "owners/task"), "");
          await writeFile(join(entry, "vocals"), Buffer.alloc(6 * MIB));
        },
      });
      const content = randomBytes(5 * MIB);
      const { link } = await service.upload(content, "a.wav");
      expect(service.output()).toContain("disk full, evicting cached stems");
      expect(content.equals(Buffer.from(await (await fetch(link)).arrayBuffer()))).toBe(true);
      await expect(service.upload(content, "a.wav")).rejects.toThrow(/503 .*STORAGE_FULL/);
      expect(await listStored("partial")).toEqual([]);
      expect(await listStored("assets")).toHaveLength(1);
    });

    it("[Q21] [E9] an upload stops where the rest of the disk belongs to others, and leaves nothing", async () => {
      await startApi(80);
      await service.upload(randomBytes(20 * MIB), "a.wav");
      await expect(service.upload(randomBytes(60 * MIB), "b.wav")).rejects.toThrow(/503 .*STORAGE_FULL/);
      expect(await listStored("partial")).toEqual([]);
      expect(await listStored("assets")).toHaveLength(1);
      expect((await service.call("/health/ready")).status).toBe(200);
    });

    it("[S4] [E9] an embedded database that a full disk keeps from starting is 503 STORAGE_FULL, and back when there is room", async () => {
      await start(600, {});
      const [main] = await listServiceProcesses(dataDir, "all");
      const seenDir = `/proc/${main?.pid}/root${dataDir}`;
      const pidFile = await readFile(join(seenDir, "postgres/cluster/data/postmaster.pid"), "utf8");
      await disk.fill();
      process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
      await expect.poll(() => codeOf("/tasks")).toBe("STORAGE_FULL");
      expect(await codeOf("/health/ready")).toBe("STORAGE_FULL");
      expect(service.output()).toMatch(/"The disk is full: .*embedded PostgreSQL is down, restarting it/);
      await disk.empty();
      await expect.poll(async () => (await service.call("/tasks")).status, { timeout: 60_000 }).toBe(200);
    });

    const hashesOf = async (task: Task) =>
      await Promise.all(
        task.targets
          .flatMap(({ output }) => output)
          .map(async ({ link }) =>
            createHash("sha256")
              .update(Buffer.from(await (await fetch(link)).arrayBuffer()))
              .digest("hex"),
          ),
      );

    it("[Q21] [D6] [D8] half a minute without a free byte loses no Task; each is charged once and gives the same bytes", async () => {
      await start(700, {});
      const content = toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 44_100 }));
      const asset = await service.upload(content, "tone.wav");
      const create = () =>
        service.createTask({
          assetId: asset.id,
          targets: [{ model: "music_detection", formats: ["json", "txt"] }],
        });
      const first = await service.waitForTask((await create()).id);
      const reference = await hashesOf(first);
      const tasks: Task[] = [];
      for (let count = 0; count < 12; count += 1) tasks.push(await create());

      await disk.fill();
      await expect.poll(() => codeOf("/health/ready")).toBe("STORAGE_FULL");
      await expect.poll(() => service.output()).toContain("disk nearly full, taking no Tasks");
      await wait(30_000);
      await disk.empty();

      for (const { id } of tasks) {
        const { targets, ...task } = await service.waitForTask(id);
        expect(targets.map(({ status, error }) => ({ status, error }))).toEqual([{ status: "completed" }]);
        expect(await hashesOf({ ...task, targets })).toEqual(reference);
      }
      await expect.poll(async () => (await service.call("/health/ready")).status).toBe(200);
      const health = await ask<ServiceHealth>("/admin/health");
      expect(health).toMatchObject({ disk: { isOk: true }, workers: { faults: [] } });
      expect((await ask<Worker[]>("/admin/workers")).map(({ fault }) => fault)).toContain(null);
      const downloaded = Buffer.from(await (await fetch(asset.link)).arrayBuffer());
      expect(downloaded.equals(content)).toBe(true);
      expect(await listAttempts()).toEqual(Array(13).fill({ attempts: 1, last_error_name: null }));
    });

    /** Only the service's own processes know the password of its database. */
    async function listAttempts(): Promise<object[]> {
      const [worker] = await listServiceProcesses(dataDir, "worker");
      const environment = await readFile(`/proc/${worker?.pid}/environ`, "utf8");
      const given = /(?:^|\0)DATABASE_URL=([^\0]+)/.exec(environment)?.[1] ?? "";
      const db = new pg.Client({ connectionString: disk.toSeenUrl(given) });
      await db.connect();
      try {
        return (await db.query("select attempts, last_error_name from tasks")).rows;
      } finally {
        await db.end();
      }
    }
  },
);
