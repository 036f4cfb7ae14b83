import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import { type DiskRoom, isUsedUp } from "../../monitoring/disk-room.ts";
import { freeLeftWorkUnasked } from "../work-dirs/free-left-work.ts";

const MIN_CHECK_MS = 1000;
const MAX_CHECK_MS = 5000;
/** So long a Task's folder is kept for its next run. Most full disks are emptied by somebody; one full of such folders is not. */
const LEFT_WORK_KEPT_MS = 60_000;
/** Written after a full disk: a user's quota does not show in the free space of the volume. */
const TRIAL_BYTES = 1024 ** 2;
/** How long the run in progress keeps a full disk from a database that is out of reach. */
const RUN_KEPT_MS = 10_000;

export type RoomWatchPorts = {
  room: DiskRoom;
  workDir: string;
  /** Removes what Tasks without a worker have left on the disk; returns how many folders. */
  freeLeftWork(): Promise<number>;
  log: Pick<FastifyBaseLogger, "info" | "warn">;
  leftWorkKeptMs?: number;
  runKeptMs?: number;
};

/** Whether this worker's disk has room for another Task. */
export function watchRoom(ports: RoomWatchPorts, onChange: () => void) {
  const { room, workDir, freeLeftWork, log } = ports;
  const { leftWorkKeptMs = LEFT_WORK_KEPT_MS, runKeptMs = RUN_KEPT_MS } = ports;
  let shortage: string | undefined;
  /** A Task has found the disk full since the last trial. */
  let isInDoubt = false;
  let running: { taskId: string; full: AbortController } | undefined;
  let isUsedUpSinceMs: number | undefined;
  /** Whether so little is left that anything may fail because of it. */
  const isDiskUsedUp = async () => isUsedUp(await room.look());

  function setShortage(found: string | undefined): void {
    const hasChanged = (found === undefined) !== (shortage === undefined);
    shortage = found;
    if (!hasChanged) return;
    if (found === undefined) log.info("disk has room again, taking Tasks");
    else log.warn({ reason: found, workDir }, "disk nearly full, taking no Tasks");
    onChange();
  }

  async function tryToWrite(): Promise<string | undefined> {
    const path = join(workDir, `trial.${process.pid}`);
    try {
      await mkdir(workDir, { recursive: true, mode: 0o700 });
      await using file = await open(path, "w", 0o600);
      // Before it is written: a kill leaves nothing.
      await rm(path);
      await file.writeFile(Buffer.alloc(TRIAL_BYTES));
      return undefined;
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      return "the disk is full: nothing can be written";
    }
  }

  async function look(): Promise<void> {
    const found = (await room.findShortage()) ?? (isInDoubt ? await tryToWrite() : undefined);
    isInDoubt = isInDoubt && found !== undefined;
    setShortage(found);
  }
  const lookSafely = () =>
    look().catch((error) => log.warn({ err: error }, "failed to check free disk space"));

  return {
    /** Why no Task is taken, as of the last look. */
    findFault: () => shortage,
    look: lookSafely,
    /** A Task has found the disk full: it is tried before the next one is claimed. */
    noteFull(): void {
      isInDoubt = true;
    },
    isUsedUp: isDiskUsedUp,
    /** While the work runs, its Task's folder is in use. The signal aborts when the database needs the disk. */
    async during<Result>(taskId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      const full = new AbortController();
      running = { taskId, full };
      try {
        return await work(full.signal);
      } finally {
        running = undefined;
      }
    },
    /** While the database is out of reach: its server may need room on our disk to start. */
    async freeForDatabase(): Promise<void> {
      if (!(await isDiskUsedUp())) {
        isUsedUpSinceMs = undefined;
        return;
      }
      isUsedUpSinceMs ??= performance.now();
      await room.makeRoom();
      const folders = await freeLeftWorkUnasked(workDir, running?.taskId);
      if (folders > 0) log.warn({ folders }, "disk full, removing checkpoints for the database");
      if (!running || performance.now() - isUsedUpSinceMs < runKeptMs) return;
      running.full.abort(Object.assign(new Error("the database needs the disk"), { code: "ENOSPC" }));
      await rm(join(workDir, running.taskId), { recursive: true, force: true });
    },
    async waitForRoom(signal: AbortSignal): Promise<void> {
      await lookSafely();
      const sinceMs = performance.now();
      for (let waitMs = MIN_CHECK_MS; shortage !== undefined && !signal.aborted; ) {
        await wait(waitMs, undefined, { signal }).catch(() => {});
        waitMs = Math.min(MAX_CHECK_MS, waitMs * 2);
        await lookSafely();
        if (shortage === undefined || performance.now() - sinceMs < leftWorkKeptMs) continue;
        const folders = await freeLeftWork().catch(() => 0);
        if (folders > 0) log.warn({ folders }, "disk nearly full, removing checkpoints of waiting Tasks");
      }
    },
  };
}
