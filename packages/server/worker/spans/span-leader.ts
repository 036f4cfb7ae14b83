import { copyFile, link, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { MadeSpan, SpanHooks, SpanPart } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import type { Blobs } from "../../domain/ports.ts";
import {
  type SpanId,
  type SpanOffers,
  type SpanState,
  type StoredSpan,
  toSharedInputKey,
  toSpanFileKey,
  toSpansFolder,
} from "../../domain/spans/span-record.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { type FetchFilePorts, findStoredInput } from "../inputs/fetch-input.ts";

/** How often the leader polls for finished spans. */
const LOOK_MS = 1000;
/** How often a leader without helpers checks for some. */
const ALONE_MS = 5000;
/** How often it polls while it can only wait for a span. */
const WAIT_MS = 250;

export type SpanLeaderPorts = FetchFilePorts & {
  blobs: Blobs;
  /** Undefined if inputs are not shared among workers. */
  spans?: { offers: SpanOffers; fromSeconds: number; workerId: string } | undefined;
  log: Pick<FastifyBaseLogger, "info" | "warn">;
};

type Work = { task: TaskRecord; run: TaskRun; taskDir: string; signal: AbortSignal };

const toName = ({ part, index }: SpanId) => `${part}/${index}`;

/**
 * Shares the spans of a long input with idle workers. This worker starts at the first span, the others at the last; where they meet, the
 * others' spans are appended. Without other workers nothing is shared.
 */
export function openSpanLeader(
  ports: SpanLeaderPorts,
  work: Work,
): { hooks: SpanHooks; fromSeconds: number; close(): Promise<void> } | undefined {
  if (!ports.spans || ports.spans.fromSeconds === 0) return undefined;
  const { offers, fromSeconds, workerId } = ports.spans;
  const { task, run, taskDir } = work;
  const closing = new AbortController();
  const signal = AbortSignal.any([work.signal, closing.signal]);
  const begun = new Map<string, SpanId>();
  const bringing = new Map<string, Promise<MadeSpan | undefined>>();
  let isOffered = false;
  let looking: Promise<void> | undefined;
  let prefetching: Promise<void> | undefined;

  async function offer(parts: readonly SpanPart[]): Promise<void> {
    const inputKey = (await findStoredInput(ports, task)) ?? (await storeInput());
    const offered = parts.map(({ finishedSpans, ...part }) => ({
      ...{ key: part.key, finishedSpans, spanCount: part.cutFrames.length + 1 },
      work: JSON.stringify(part),
    }));
    const known = [...begun.values()];
    await offers.offer(run, { parts: offered, begun: known, inputKey });
    isOffered = true;
    // Spans that this worker began meanwhile.
    for (const span of begun.values()) if (!known.includes(span)) await offers.takeOwn(run, span);
    ports.log.info({ taskId: task.id, spans: offered.map(({ spanCount }) => spanCount) }, "spans offered");
  }

  /** Stored once, for all helpers. */
  async function storeInput(): Promise<string> {
    const key = toSharedInputKey(task.id);
    const path = join(taskDir, "input.shared");
    await rm(path, { force: true });
    await link(join(taskDir, "input"), path).catch(() => copyFile(join(taskDir, "input"), path));
    await ports.blobs.adopt(key, path);
    return key;
  }

  async function keepLooking(parts: readonly SpanPart[], tellShares: TellShares): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!isOffered && (await offers.hasHelpers(workerId))) await offer(parts);
        if (isOffered) await look(tellShares);
      } catch (error) {
        if (!signal.aborted) ports.log.warn({ err: error, taskId: task.id }, "failed to renew spans");
      }
      await wait(isOffered ? LOOK_MS : ALONE_MS, undefined, { signal }).catch(() => {});
    }
  }

  async function look(tellShares: TellShares): Promise<void> {
    const states = await offers.list(task.id);
    tellShares(states.map(({ part, index, share }) => ({ span: { part, index }, share })));
    prefetching ??= prefetch(states).finally(() => {
      prefetching = undefined;
    });
  }

  /** Fetched ahead, so that a span is here when its turn comes. */
  async function prefetch(states: readonly SpanState[]): Promise<void> {
    for (const state of states)
      if (state.stored && !signal.aborted)
        await bring(state, state.stored).catch((error) =>
          ports.log.warn({ err: error, taskId: task.id }, "failed to fetch a span"),
        );
  }

  /** Undefined if it is unavailable and must be made here. */
  function bring(span: SpanState, stored: StoredSpan): Promise<MadeSpan | undefined> {
    const known = bringing.get(toName(span));
    if (known) return known;
    const brought = bringFiles(span, stored);
    bringing.set(toName(span), brought);
    // A store outage is left to whoever needs the span and asks again.
    brought.catch(() => bringing.delete(toName(span)));
    return brought;
  }

  async function bringFiles(span: SpanState, { key, files }: StoredSpan): Promise<MadeSpan | undefined> {
    const made: MadeSpan = { files: [] };
    for (const { pass, stem, sizeBytes } of files) {
      const path = join(taskDir, "spans", toName(span), pass, stem);
      const fileKey = toSpanFileKey(key, { pass, stem });
      if ((await ports.blobs.findSize(fileKey)) !== sizeBytes) return await doWithout(span);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rm(path, { force: true });
      await ports.blobs.copyTo(fileKey, path);
      if ((await stat(path)).size !== sizeBytes) return await doWithout(span);
      made.files.push({ pass, stem, path });
    }
    return made;
  }

  async function doWithout({ part, index }: SpanState): Promise<undefined> {
    ports.log.warn({ taskId: task.id, part, span: index }, "stored span is incomplete, processing it here");
    await offers.reclaim(run, { part, index });
  }

  async function take(span: SpanId): Promise<MadeSpan | undefined> {
    begun.set(toName(span), span);
    while (isOffered) {
      signal.throwIfAborted();
      if (await offers.takeOwn(run, span)) return undefined;
      const states = await offers.list(task.id);
      const state = states.find(({ part, index }) => part === span.part && index === span.index);
      if (state?.stored) return await bring(state, state.stored);
      await wait(WAIT_MS, undefined, { signal });
    }
    return undefined;
  }

  return {
    hooks: {
      offer: (parts, tellShares) => {
        looking = keepLooking(parts, tellShares);
      },
      take,
    },
    fromSeconds,
    async close() {
      closing.abort(new Error("the run is over"));
      await looking;
      await prefetching;
    },
  };
}

type TellShares = Parameters<SpanHooks["offer"]>[1];

/** Removes the spans of a Task that has ended. */
export async function dropSpans(ports: SpanLeaderPorts, taskId: string): Promise<void> {
  if (!ports.spans || ports.spans.fromSeconds === 0) return;
  try {
    if (await ports.spans.offers.hasSpans(taskId)) {
      await ports.blobs.delete(toSpansFolder(taskId));
      await ports.spans.offers.forget(taskId);
    }
  } catch (error) {
    ports.log.warn({ err: error, taskId }, "failed to remove spans");
  }
}
