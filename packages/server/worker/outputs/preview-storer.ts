import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { PreviewNews, PreviewRequest } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { makeId } from "../../domain/ids.ts";
import type { Blobs } from "../../domain/ports.ts";
import {
  type PreviewRecord,
  toPreviewFolder,
  toPreviewHoldId,
  toPreviewKey,
} from "../../domain/previews/preview-record.ts";
import { describeUse, type StorageQuota } from "../../domain/storage/storage-quota.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";

export type PreviewStorerPorts = {
  blobs: Pick<Blobs, "adopt" | "delete">;
  reports: Pick<TaskReports, "findPreviews" | "setPreviews">;
  quota: Pick<StorageQuota, "hold" | "release">;
  log: Pick<FastifyBaseLogger, "warn">;
};

type Step = Extract<PreviewNews, { kind: "step" }>;

/** How often the number of stored chunks is recorded. */
const NOTE_INTERVAL_MS = 1000;
const RETRY_DELAYS_MS = [500, 2000];

/** Stores previews while the engine runs. A failure ends the previews, never the Task; a full disk ends the run, so that the next one has them. */
export class PreviewStorer {
  readonly #ports: PreviewStorerPorts;
  readonly #run: TaskRun;
  readonly #clientId: string;
  readonly #version: string;
  readonly #chunks: Record<string, number>;
  #sizeBytes: number;
  readonly #waiting: Step[] = [];
  #shape: PreviewRecord["shape"] | undefined;
  #storing: Promise<void> | undefined;
  #sendNow = new AbortController();
  #notedMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  /** What a full disk made of them. */
  #full: unknown;

  private constructor(
    ports: PreviewStorerPorts,
    options: {
      run: TaskRun;
      task: TaskRecord;
      stored: Pick<PreviewRecord, "version" | "chunks" | "sizeBytes">;
    },
  ) {
    const { run, task, stored } = options;
    this.#ports = ports;
    this.#run = run;
    this.#clientId = task.clientId;
    this.#version = stored.version;
    this.#chunks = stored.chunks;
    this.#sizeBytes = stored.sizeBytes;
  }

  /** Resumes after what is stored if the work continues in the same folder; otherwise it is removed and made again. */
  static async open(
    ports: PreviewStorerPorts,
    { run, task, taskDir }: { run: TaskRun; task: TaskRecord; taskDir: string },
  ): Promise<PreviewStorer> {
    const markPath = join(taskDir, "previews-version");
    const mark = await readFile(markPath, "utf8").catch(() => undefined);
    const stored = await ports.reports.findPreviews(run.taskId);
    if (stored && stored.version === mark) return new PreviewStorer(ports, { run, task, stored });
    if (stored) await ports.blobs.delete(toPreviewFolder(run.taskId));
    const version = makeId();
    await writeFile(markPath, version, { mode: 0o600 });
    return new PreviewStorer(ports, { run, task, stored: { version, chunks: {}, sizeBytes: 0 } });
  }

  /** Where the engine resumes. */
  get request(): PreviewRequest {
    return { storedChunks: { ...this.#chunks } };
  }

  /** Returns at once, so that the engine never waits for the store. */
  take(news: PreviewNews): void {
    const { taskId } = this.#run;
    if (news.kind === "failed") {
      this.#ports.log.warn({ taskId, reason: news.message }, "previews failed");
      if (news.isDiskFull) this.#full = Object.assign(new Error(news.message), { code: "ENOSPC" });
      return;
    }
    if (this.#isOver) return;
    this.#waiting.push(news);
    this.#start();
  }

  /** Resolves when everything taken is stored and recorded; rejects if the disk was full. */
  async flush(): Promise<void> {
    while (this.#storing) {
      this.#sendNow.abort();
      await this.#storing;
    }
    this.#sendNow = new AbortController();
    if (this.#full !== undefined) throw this.#full;
  }

  /** Accepts nothing more; resolves when no write is in flight. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#waiting.length = 0;
    await this.flush().catch(() => {});
    await this.#ports.quota.release(toPreviewHoldId(this.#run.taskId));
  }

  #start(): void {
    if (this.#waiting.length === 0) return;
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
      // Whatever arrived after the last check.
      this.#start();
    });
  }

  async #storeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const steps = this.#waiting.splice(0);
        await this.#holdRoom(steps);
        const tracks = Map.groupBy(steps, ({ track }) => track);
        await Promise.all([...tracks.values()].map((ofTrack) => this.#storeTrack(ofTrack)));
        const idleMs = this.#notedMs + NOTE_INTERVAL_MS - performance.now();
        if (idleMs > 0) await wait(idleMs, undefined, { signal: this.#sendNow.signal }).catch(() => {});
        await this.#note();
      }
    } catch (error) {
      this.#isOver = true;
      this.#waiting.length = 0;
      if (isOutOfSpace(error)) this.#full = error;
      this.#ports.log.warn({ err: error, taskId: this.#run.taskId }, "failed to store previews");
    }
  }

  /** Reserves quota until the chunks are counted as stored. */
  async #holdRoom(steps: readonly Step[]): Promise<void> {
    const sizeBytes = steps.reduce((sum, { chunkBytes }) => sum + chunkBytes, 0);
    const place = { id: toPreviewHoldId(this.#run.taskId), clientId: this.#clientId };
    const shortage = await this.#ports.quota.hold(place, sizeBytes);
    if (shortage) throw new Error(`there is no room for them: ${describeUse(shortage)}`);
  }

  /** In order: later peaks replace earlier ones. */
  async #storeTrack(steps: readonly Step[]): Promise<void> {
    for (const { files, shape, track, chunks, chunkBytes } of steps) {
      for (const { name, path } of files) {
        if (this.#isOver) return;
        await this.#adopt(toPreviewKey(this.#run.taskId, { version: this.#version }, name), path);
      }
      this.#shape = shape;
      this.#chunks[track] = chunks;
      this.#sizeBytes += chunkBytes;
    }
  }

  async #adopt(key: string, path: string): Promise<void> {
    for (const delayMs of RETRY_DELAYS_MS) {
      try {
        await this.#ports.blobs.adopt(key, path);
        return;
      } catch {
        await wait(delayMs);
      }
    }
    await this.#ports.blobs.adopt(key, path);
  }

  async #note(): Promise<void> {
    if (this.#shape === undefined) return;
    await this.#ports.reports.setPreviews(this.#run, {
      version: this.#version,
      shape: this.#shape,
      chunks: this.#chunks,
      sizeBytes: this.#sizeBytes,
    });
    this.#notedMs = performance.now();
  }
}
