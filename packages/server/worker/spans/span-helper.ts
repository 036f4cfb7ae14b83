import { createReadStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type EngineProcess, type SpanFile, type SpanPart, toSpanDir } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { makeId } from "../../domain/ids.ts";
import type { Blobs } from "../../domain/ports.ts";
import {
  type SpanQueue,
  type SpanWork,
  type StoredSpan,
  toSpanFileKey,
  toSpanKey,
} from "../../domain/spans/span-record.ts";
import { StoreOutage } from "../../domain/storage/store-outage.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import { makeAlarm } from "../../waiting/alarm.ts";
import { openHelperDir } from "../work-dirs/open-helper-dir.ts";

/** How often a helper renews its hold on a span, and thus how soon it notices a cancelled Task. */
const HOLD_MS = 1000;
/** A notification wakes the helper when there are spans; this only bounds the sleep. */
const IDLE_MS = 3_600_000;

export type SpanHelperPorts = {
  queue: SpanQueue;
  /** Our own store, without announcing uploads. */
  ownBlobs: Pick<Blobs, "write" | "copyTo" | "delete">;
  workDir: string;
  engine: Pick<EngineProcess, "runSpan">;
  workerId: string;
  log: Pick<FastifyBaseLogger, "info" | "warn">;
  /** Reports the Task while a span is made. */
  during<Result>(taskId: string, work: () => Promise<Result>): Promise<Result>;
};

class NotNeeded extends Error {}

/** The time between two Tasks, in which a worker helps others. */
export type Helping = {
  /** Called when the queue has no Task. */
  look(): void;
  /** `atOnce`: a Task has arrived, and the span in progress is left to others. Otherwise it is finished, unless `closing` is aborted. */
  stop(options: { atOnce: boolean }): Promise<void>;
};

/**
 * Makes spans of long inputs for other workers while this one has no Task. A new Task never waits: the span is returned, and the next helper
 * on this machine resumes after its last segment.
 */
export function makeSpanHelper(ports: SpanHelperPorts, closing: AbortSignal) {
  const { queue, ownBlobs, log } = ports;
  /** Tasks whose spans can't be made here, because they would not match the leader's. */
  const unfit = new Set<string>();
  /** The input of the last Task, kept for its next span. */
  let opened: { taskId: string; dir: string } | undefined;

  async function forget(): Promise<void> {
    if (opened) await rm(opened.dir, { recursive: true, force: true });
    opened = undefined;
  }

  async function openDir({ taskId, inputKey }: SpanWork): Promise<string> {
    if (opened?.taskId !== taskId) {
      await forget();
      opened = { taskId, dir: await openHelperDir(ports.workDir, taskId) };
    }
    const path = join(opened.dir, "input");
    if (await stat(path).then(Boolean, () => false)) return opened.dir;
    await rm(`${path}.partial`, { force: true });
    await ownBlobs.copyTo(inputKey, `${path}.partial`);
    await rename(`${path}.partial`, path);
    return opened.dir;
  }

  /** False if there is nothing left to help with. */
  async function helpOnce(signal: AbortSignal): Promise<boolean> {
    const span = await queue.claim({
      token: makeId(),
      workerId: ports.workerId,
      exceptTaskIds: [...unfit],
    });
    if (!span) return false;
    const facts = { taskId: span.taskId, part: span.part, span: span.index };
    let isFault = false;
    /** No store, or no room on the disk. */
    let isOutage = false;
    try {
      const stored = await ports.during(span.taskId, () => makeSpan(span, signal));
      if (stored && (await queue.end(span, stored))) {
        log.info(facts, "span processed for another worker");
        return true;
      }
    } catch (error) {
      isOutage = error instanceof StoreOutage || isOutOfSpace(error);
      isFault = !(isOutage || error instanceof NotNeeded || signal.aborted);
      if (isOutage || isFault) log.warn({ err: error, ...facts }, "span failed, leaving it to others");
    }
    await ownBlobs
      .delete(toSpanKey(span))
      .catch((error) => log.warn({ err: error, ...facts }, "failed to remove a span"));
    await queue.release(span, { isFault });
    return !isOutage;
  }

  async function makeSpan(span: SpanWork, given: AbortSignal): Promise<StoredSpan | undefined> {
    const lost = new AbortController();
    const signal = AbortSignal.any([given, lost.signal]);
    let share = 0;
    const stopHolding = keepHolding(
      span,
      () => share,
      () => lost.abort(new NotNeeded()),
    );
    try {
      const dir = await openDir(span);
      signal.throwIfAborted();
      const request = {
        ...{ inputPath: join(dir, "input"), workDir: join(dir, "engine"), index: span.index },
        part: JSON.parse(span.work) as SpanPart,
      };
      const result = await ports.engine.runSpan(request, {
        signal,
        onProgress: (fraction) => {
          share = fraction;
        },
      });
      if (result.kind === "unfit") {
        unfit.add(span.taskId);
        log.info({ taskId: span.taskId }, "spans left to workers with the same networks");
        return undefined;
      }
      const stored = await store(span, result.files, signal);
      await rm(toSpanDir(request.workDir, request), { recursive: true, force: true });
      return stored;
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      stopHolding();
    }
  }

  async function store(span: SpanWork, files: readonly SpanFile[], signal: AbortSignal): Promise<StoredSpan> {
    const key = toSpanKey(span);
    for (const { path, startByte, sizeBytes, ...file } of files) {
      signal.throwIfAborted();
      const content = createReadStream(path, { start: startByte, end: startByte + sizeBytes - 1 });
      await ownBlobs.write(toSpanFileKey(key, file), content);
    }
    return { key, files: files.map(({ pass, stem, sizeBytes }) => ({ pass, stem, sizeBytes })) };
  }

  function keepHolding(span: SpanWork, readShare: () => number, onLost: () => void): () => void {
    const stopped = new AbortController();
    const { signal } = stopped;
    void (async () => {
      while (await wait(HOLD_MS, true, { signal }).catch(() => false)) {
        const isOurs = await queue.hold(span, readShare()).catch((error) => {
          log.warn({ err: error, taskId: span.taskId }, "failed to hold a span");
          return true;
        });
        if (!isOurs) onLost();
      }
    })();
    return () => stopped.abort();
  }

  return {
    begin(): Helping {
      const alarm = makeAlarm();
      const forceStop = new AbortController();
      const signal = AbortSignal.any([forceStop.signal, closing]);
      let isOver = false;
      let isDue = false;
      async function help(): Promise<void> {
        while (!isOver) {
          if (!isDue) await alarm.sleep(IDLE_MS);
          else if (!(await helpSafely())) await forget();
        }
      }
      async function helpSafely(): Promise<boolean> {
        isDue = false;
        try {
          let hasHelped = true;
          while (hasHelped && !isOver) hasHelped = await helpOnce(signal);
          return isOver;
        } catch (error) {
          log.warn({ err: error }, "span queue failed");
          return false;
        }
      }
      const helping = help();
      return {
        look() {
          isDue = true;
          alarm.ring();
        },
        async stop({ atOnce }) {
          isOver = true;
          if (atOnce) forceStop.abort(new Error("a Task has come"));
          alarm.ring();
          await helping;
        },
      };
    },
  };
}
