import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { insertClient } from "../../packages/server/db/accounts/client-rows.ts";
import { insertAsset } from "../../packages/server/db/assets/asset-rows.ts";
import { findTask, insertTask } from "../../packages/server/db/tasks/task-rows.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import type { Blobs } from "../../packages/server/domain/ports.ts";
import type { NewTask, TaskRecord } from "../../packages/server/domain/tasks/task-record.ts";
import { toWav } from "./audio.ts";
import { makeTempDir } from "./temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";
import { type RunEngine, startWorkerWithoutNetwork } from "./test-worker.ts";

type SongShape = Parameters<typeof makeSyntheticSong>[0];
type WorkerOptions = Partial<Parameters<typeof startWorkerWithoutNetwork>[0]>;

export type WorkerContext = {
  database: TestDatabase;
  blobs: Blobs;
  workDir: string;
  /** A new client per test, and an asset of that client. */
  clientId: string;
  assetId: string;
  addClient(): Promise<void>;
  /** Stores a synthetic song as the client's asset. */
  storeSong(song: SongShape): Promise<void>;
  createTask(models: string[], fields?: Partial<NewTask>): Promise<string>;
  startWorker(
    run: RunEngine,
    options?: WorkerOptions,
  ): Promise<Awaited<ReturnType<typeof startWorkerWithoutNetwork>>>;
  waitForEnd(id: string, timeoutMs?: number): Promise<TaskRecord>;
  /** How often the Task was claimed since it last advanced, and what ended the last attempt that counted. */
  readAttempts(id: string): Promise<{ attempts: number; last_error_name: string | null } | undefined>;
  closeWorkers(): Promise<void>;
  close(): Promise<void>;
};

/** Workers without a network on a real database and store, and Tasks for them. */
export async function openWorkerContext(): Promise<WorkerContext> {
  const database = await openTestDatabase();
  const dataDir = await makeTempDir("worker");
  const blobs = await openFileBlobs(join(dataDir, "blobs"));
  const closers: (() => Promise<void>)[] = [];

  const context: WorkerContext = {
    database,
    blobs,
    workDir: join(dataDir, "work"),
    clientId: "",
    assetId: "",
    async addClient() {
      const [clientId, id] = [makeId(), makeId()];
      await insertClient(database.db, { id: clientId, name: "Test" });
      const blobKey = `assets/${id}/a.wav`;
      await writeFile(join(dataDir, id), "sound");
      await blobs.adopt(blobKey, join(dataDir, id));
      const file = { name: "a.wav", format: "wav", sizeBytes: 5, blobKey };
      await insertAsset(database.db, { id, clientId, ...file, createdAt: new Date() });
      Object.assign(context, { clientId, assetId: id });
    },
    async storeSong(song) {
      const path = join(await makeTempDir("song"), "song.wav");
      await writeFile(path, toWav({ sampleRateHz: song.sampleRateHz, channels: makeSyntheticSong(song) }));
      await blobs.adopt(`assets/${context.assetId}/a.wav`, path);
    },
    async createTask(models, fields = {}) {
      const { clientId, assetId } = context;
      const targets = models.map((model) => ({
        id: makeId(),
        model,
        formats: ["wav"],
        creditsPerMinute: 1.5,
      }));
      const task = { id: makeId(), clientId, createdAt: new Date(), assetId, targets, ...fields };
      await database.db.transaction().execute((transaction) => insertTask(transaction, task));
      return task.id;
    },
    async startWorker(run, options = {}) {
      const { workDir } = context;
      const defaults = { connectionString: database.url, blobs, workDir, run };
      const worker = await startWorkerWithoutNetwork({ ...defaults, ...options });
      closers.push(() => worker.close());
      return worker;
    },
    async waitForEnd(id, timeoutMs = 60_000) {
      let task: TaskRecord | undefined;
      await expect
        .poll(
          async () => {
            task = await findTask(database.db, id);
            return task?.completedAt;
          },
          { timeout: timeoutMs, interval: 50 },
        )
        .toBeInstanceOf(Date);
      return task as TaskRecord;
    },
    async readAttempts(id) {
      return await database.db
        .selectFrom("tasks")
        .select(["attempts", "last_error_name"])
        .where("id", "=", id)
        .executeTakeFirst();
    },
    async closeWorkers() {
      for (const close of closers.splice(0).reverse()) await close();
    },
    close: () => database.close(),
  };
  return context;
}
