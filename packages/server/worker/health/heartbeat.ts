import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import type { EngineProcess } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import type { WorkerRegister, WorkerReport } from "../../domain/operation/worker-report.ts";
import { readProcessTreeMemory } from "./process-tree-memory.ts";

export type MeasuredEngine = Pick<EngineProcess, "run" | "runSpan" | "close">;

const HEARTBEAT_MS = 10_000;
/** After this long, others consider a worker dead. */
const LATE_MS = 30_000;

/** Reports every few seconds that this worker is alive and what it is working on. */
export async function startHeartbeat(options: {
  id: string;
  register: WorkerRegister;
  version: string;
  log: FastifyBaseLogger;
  listNetworks?: () => WorkerReport["networks"];
  spans?: { machine: string } | undefined;
  /** Why no Task would be taken, and the free disk space. */
  readDisk: () => Promise<Pick<WorkerReport, "fault" | "diskFreeBytes">>;
  /** Default: this process and all its descendants. */
  readMemory?: () => Promise<number>;
}) {
  const { id, register, log, readMemory = () => readProcessTreeMemory(process.pid) } = options;
  const startedAt = new Date();
  let task: WorkerReport["task"];
  let engineSeconds = 0;
  let audioSeconds = 0;
  let reportedAtMs = performance.now();

  const report = async () => {
    try {
      const memoryBytes = await readMemory();
      const { version, spans } = options;
      const place = { id, host: hostname(), pid: process.pid, version, startedAt, machine: spans?.machine };
      const networks = options.listNetworks?.() ?? [];
      const disk = await options.readDisk();
      await register.report({ ...place, task, memoryBytes, engineSeconds, audioSeconds, networks, ...disk });
      reportedAtMs = performance.now();
    } catch (error) {
      log.warn({ err: error }, "worker heartbeat failed");
    }
  };
  // One at a time, so that no report arrives after the worker has unregistered.
  let reported = Promise.resolve();
  const beat = () => {
    reported = reported.then(report);
    return reported;
  };
  await beat();
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);

  return {
    /** Reports out of turn. */
    beat,
    /** Whether no heartbeat has succeeded for so long that others consider this worker dead. */
    isLate: () => performance.now() - reportedAtMs > LATE_MS,
    /** Reports the Task while it runs. */
    async during<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
      task = { id: taskId, since: new Date() };
      void beat();
      try {
        return await work();
      } finally {
        task = undefined;
        void beat();
      }
    },
    /** The same engine, counting seconds of work and of finished audio. */
    measure(engine: MeasuredEngine): MeasuredEngine {
      const timed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        const startMs = performance.now();
        try {
          return await work();
        } finally {
          engineSeconds += (performance.now() - startMs) / 1000;
        }
      };
      return {
        close: () => engine.close(),
        async run(request, hooks = {}) {
          let finishedSeconds = 0;
          try {
            await timed(() =>
              engine.run(request, {
                ...hooks,
                onTargetDone: async (key, result) => {
                  finishedSeconds = result.durationSeconds;
                  await hooks.onTargetDone?.(key, result);
                },
              }),
            );
          } finally {
            audioSeconds += finishedSeconds;
          }
        },
        // Its audio is counted by the worker that has the Task.
        runSpan: (request, hooks) => timed(() => engine.runSpan(request, hooks)),
      };
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await reported;
      await register
        .remove(id)
        .catch((error) => log.warn({ err: error }, "failed to remove the worker from the list"));
    },
  };
}
