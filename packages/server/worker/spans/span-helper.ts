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
import { openHelperDir } from "../work-dirs/open-helper-dir.ts";
import { Helping } from "./helping.ts";

/** How often a helper renews its hold on a span, and thus how soon it notices a cancelled Task. */
const HOLD_MS = 1000;

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

/**
 * Makes spans of long inputs for other workers while this one has no Task. A new Task never waits: the span is returned, and the next helper
 * on this machine resumes after its last segment.
 */
export class SpanHelper {
  readonly #ports: SpanHelperPorts;
  readonly #closing: AbortSignal;
  /** Tasks whose spans can't be made here, because they would not match the leader's. */
  readonly #unfit = new Set<string>();
  /** The input of the last Task, kept for its next span. */
  #opened: { taskId: string; dir: string } | undefined;

  constructor(ports: SpanHelperPorts, closing: AbortSignal) {
    this.#ports = ports;
    this.#closing = closing;
  }

  /** Starts to help, until it is stopped. */
  begin(): Helping {
    const { log } = this.#ports;
    return new Helping({
      log,
      helpOnce: (signal) => this.#helpOnce(signal),
      forget: () => this.#forget(),
      closing: this.#closing,
    });
  }

  async #forget(): Promise<void> {
    if (this.#opened) await rm(this.#opened.dir, { recursive: true, force: true });
    this.#opened = undefined;
  }

  async #openDir({ taskId, inputKey }: SpanWork): Promise<string> {
    const { workDir, ownBlobs } = this.#ports;
    if (this.#opened?.taskId !== taskId) {
      await this.#forget();
      this.#opened = { taskId, dir: await openHelperDir(workDir, taskId) };
    }
    const { dir } = this.#opened;
    const path = join(dir, "input");
    if (await stat(path).then(Boolean, () => false)) return dir;
    await rm(`${path}.partial`, { force: true });
    await ownBlobs.copyTo(inputKey, `${path}.partial`);
    await rename(`${path}.partial`, path);
    return dir;
  }

  /** False if there is nothing left to help with. */
  async #helpOnce(signal: AbortSignal): Promise<boolean> {
    const { queue, ownBlobs, log, workerId } = this.#ports;
    const span = await queue.claim({ token: makeId(), workerId, exceptTaskIds: [...this.#unfit] });
    if (!span) return false;
    const facts = { taskId: span.taskId, part: span.part, span: span.index };
    let isFault = false;
    /** No store, or no room on the disk. */
    let isOutage = false;
    try {
      const stored = await this.#ports.during(span.taskId, () => this.#makeSpan(span, signal));
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

  async #makeSpan(span: SpanWork, given: AbortSignal): Promise<StoredSpan | undefined> {
    const lost = new AbortController();
    const signal = AbortSignal.any([given, lost.signal]);
    let share = 0;
    const stopHolding = this.#keepHolding(
      span,
      () => share,
      () => lost.abort(new NotNeeded()),
    );
    try {
      const dir = await this.#openDir(span);
      signal.throwIfAborted();
      const request = {
        ...{ inputPath: join(dir, "input"), workDir: join(dir, "engine"), index: span.index },
        part: JSON.parse(span.work) as SpanPart,
      };
      const result = await this.#ports.engine.runSpan(request, {
        signal,
        onProgress: (fraction) => {
          share = fraction;
        },
      });
      if (result.kind === "unfit") {
        this.#unfit.add(span.taskId);
        this.#ports.log.info({ taskId: span.taskId }, "spans left to workers with the same networks");
        return undefined;
      }
      const stored = await this.#store(span, result.files, signal);
      await rm(toSpanDir(request.workDir, request), { recursive: true, force: true });
      return stored;
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      stopHolding();
    }
  }

  async #store(span: SpanWork, files: readonly SpanFile[], signal: AbortSignal): Promise<StoredSpan> {
    const key = toSpanKey(span);
    for (const { path, startByte, sizeBytes, ...file } of files) {
      signal.throwIfAborted();
      const content = createReadStream(path, { start: startByte, end: startByte + sizeBytes - 1 });
      await this.#ports.ownBlobs.write(toSpanFileKey(key, file), content);
    }
    return { key, files: files.map(({ pass, stem, sizeBytes }) => ({ pass, stem, sizeBytes })) };
  }

  #keepHolding(span: SpanWork, readShare: () => number, onLost: () => void): () => void {
    const { queue, log } = this.#ports;
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
}
