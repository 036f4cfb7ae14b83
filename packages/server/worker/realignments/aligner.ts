import { setTimeout as wait } from "node:timers/promises";
import type { EngineProcess, GapResult } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { makeId } from "../../domain/ids.ts";
import { countLeadSeconds } from "../../domain/tasks/audio-offset.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { RealignmentQueue, RealignmentRun } from "../../domain/words/realignment-record.ts";
import type { WordsLine } from "../../domain/words/words-record.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import type { DiskRoom } from "../../monitoring/disk-room.ts";
import { makeAlarm } from "../../waiting/alarm.ts";
import { findTargetFailure } from "../failures/engine-failure.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import type { FetchFilePorts } from "../inputs/fetch-input.ts";
import { makeGapInputs } from "./gap-input.ts";

/** Poll interval, in case a notification is lost; ±20 % at random. */
const POLL_MS = 10_000;
/** How often a hold on a gap is renewed, and thus how soon a cancelled one is noticed. */
const HOLD_MS = 1000;
/** Fetching included. Nobody waits longer than this at a page. */
const TIME_LIMIT_MS = 60_000;
/** How long an unused recording is kept for the next gap. */
const KEEP_MS = 60_000;

/** Shorter than the claim on a gap holds. */
const FULL_DISK_WAIT_MS = 5000;

export type AlignerPorts = FetchFilePorts & {
  queue: RealignmentQueue;
  engine: Pick<EngineProcess, "alignGap" | "close">;
  reports: Pick<TaskReports, "findTask">;
  workDir: string;
  room: Pick<DiskRoom, "findShortage">;
  log: FastifyBaseLogger;
};

class Cancelled extends Error {}

/**
 * Times gaps of edited words, one at a time, in parallel to this process's Tasks, so that editing a line does not wait for another client's
 * hour of music. It has its own engine process, which exits when idle.
 */
export function startAligner(ports: AlignerPorts) {
  const { queue, log } = ports;
  const closing = new AbortController();
  const alarm = makeAlarm();
  const inputs = makeGapInputs(ports);

  async function alignNext(): Promise<boolean> {
    if ((await ports.room.findShortage()) !== undefined) return false;
    const run = await queue.claim(makeId());
    if (!run) return false;
    const facts = { taskId: run.taskId, realignmentId: run.id };
    try {
      await queue.end(run, { lines: await align(run) });
    } catch (error) {
      if (error instanceof Cancelled) log.info(facts, "realignment cancelled");
      else if (closing.signal.aborted) await queue.release(run, { isFault: false });
      else await endFailed(run, error);
    }
    return true;
  }

  async function align(run: RealignmentRun): Promise<WordsLine[]> {
    const task = await ports.reports.findTask(run.taskId);
    if (!task) throw new Cancelled();
    const cancelled = new AbortController();
    const late = AbortSignal.timeout(TIME_LIMIT_MS);
    const signal = AbortSignal.any([closing.signal, cancelled.signal, late]);
    const stopHolding = keepHolding(run, () => cancelled.abort());
    try {
      const { path, folder, leadSeconds } = await inputs.load(task, signal);
      const { start, end, text, language, before, after } = run.gap;
      const target = task.targets.find(({ id }) => id === run.targetId);
      // The words may count from the start of a video, and the file that is read from the start of its audio.
      const shiftSeconds = leadSeconds - (target ? countLeadSeconds(target) : 0);
      const toSpan = (word: { start: number; end: number }) => ({
        startSeconds: Math.max(0, word.start + shiftSeconds),
        endSeconds: word.end + shiftSeconds,
      });
      const toWord = (word: (typeof before)[number]) => ({ text: word.text, ...toSpan(word) });
      const request = {
        ...{ inputPath: path, workDir: folder, text, language, ...toSpan({ start, end }) },
        before: before.map(toWord),
        after: after.map(toWord),
      };
      return toLines(await ports.engine.alignGap(request, { signal }), shiftSeconds);
    } catch (error) {
      if (cancelled.signal.aborted) throw new Cancelled();
      if (late.aborted)
        throw new TargetFailure("INTERNAL", "Aligning the gap took more than a minute; try a shorter one");
      throw error;
    } finally {
      stopHolding();
    }
  }

  function keepHolding(run: RealignmentRun, onLost: () => void): () => void {
    const stopped = new AbortController();
    const { signal } = stopped;
    void (async () => {
      while (await wait(HOLD_MS, true, { signal }).catch(() => false)) {
        const isOurs = await queue.hold(run).catch((error) => {
          log.warn({ err: error, realignmentId: run.id }, "failed to hold a realignment");
          return true;
        });
        if (!isOurs) onLost();
      }
    })();
    return () => stopped.abort();
  }

  /** A failure the client can understand ends the realignment; any other is retried. */
  async function endFailed(run: RealignmentRun, error: unknown): Promise<void> {
    const failure = findTargetFailure(error);
    const facts = { taskId: run.taskId, realignmentId: run.id };
    if (isOutOfSpace(error)) {
      log.warn({ err: error, ...facts }, "disk full, realignment returned to the queue");
      await inputs.forget();
      await wait(FULL_DISK_WAIT_MS, undefined, { signal: closing.signal }).catch(() => {});
      return await queue.release(run, { isFault: false });
    }
    if (!failure) {
      log.error({ err: error, ...facts }, "realignment failed");
      return await queue.release(run, { isFault: true });
    }
    log.warn({ ...facts, code: failure.code, reason: failure.message }, "realignment failed");
    await queue.end(run, { error: { code: failure.code, message: failure.message } });
  }

  async function work(): Promise<void> {
    let idleSinceMs = performance.now();
    while (!closing.signal.aborted) {
      try {
        if (await alignNext()) {
          idleSinceMs = performance.now();
          continue;
        }
      } catch (error) {
        log.warn({ err: error }, "realignment queue failed");
      }
      if (performance.now() - idleSinceMs > KEEP_MS) await inputs.forget();
      if (!closing.signal.aborted) await alarm.sleep(POLL_MS * (0.8 + 0.4 * Math.random()));
    }
    await inputs.forget();
  }
  const working = work();

  return {
    /** Call when there may be a gap to align. */
    look: alarm.ring,
    /** The current gap returns to the queue. */
    async close(): Promise<void> {
      closing.abort(new Error("the worker is shutting down"));
      alarm.ring();
      await working;
      await ports.engine.close();
    },
  };
}

/** Shifts back, and rounds to milliseconds. */
function toLines({ lines }: GapResult, shiftSeconds: number): WordsLine[] {
  const round = (value: number) => Number(value.toFixed(3));
  return lines.map(({ words }) => ({
    words: words.map(({ text, startSeconds, endSeconds, confidence }) => ({
      text,
      start: round(startSeconds - shiftSeconds),
      end: round(endSeconds - shiftSeconds),
      confidence: round(confidence),
    })),
  }));
}
