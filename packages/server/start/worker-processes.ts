import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { makeRestartDelay } from "../waiting/restart-delay.ts";

/** TypeScript in a checkout, JavaScript in the published package. */
const MAIN_PATH = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
const STOP_TIMEOUT_MS = 8000;

type WorkerOptions = {
  /** How long a stopping worker may continue its Task. */
  drainMs: number;
  environment: Record<string, string | undefined>;
  log: FastifyBaseLogger;
};

/** Keeps a number of worker processes running: one that dies or fails to start is restarted. */
export function startWorkerProcesses(options: WorkerOptions & { count: number }) {
  const workers = Array.from({ length: options.count }, () => keepWorkerRunning(options));
  return {
    reopenLogs(): void {
      for (const worker of workers) worker.reopenLog();
    },
    async stop(): Promise<void> {
      await Promise.all(workers.map(({ stop }) => stop()));
    },
  };
}

function keepWorkerRunning({ environment, log, drainMs }: WorkerOptions) {
  const delay = makeRestartDelay();
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  /** Resolves once the process has exited; rejects if it could not be started. */
  async function runOnce(): Promise<void> {
    const started = fork(MAIN_PATH, ["worker"], {
      env: environment,
      // A separate process group: Ctrl-C reaches only the parent, which then stops the workers in order.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child = started;
    // An `error` before `spawn` rejects, for example if the machine is out of processes (EAGAIN).
    await once(started, "spawn");
    // Later errors mean that a signal could not be sent, which shows when the process does not exit.
    started.on("error", () => {});
    const [code, signal] = await once(started, "exit");
    if (!stopping.signal.aborted)
      log.error({ code, signal, workerPid: started.pid }, "worker process ended, restarting it");
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      await runOnce().catch((error) => log.error({ err: error }, "failed to start a worker process"));
      child = undefined;
      const delayMs = delay.findMs(performance.now() - startedMs);
      await wait(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = keepRunning();

  return {
    reopenLog(): void {
      child?.kill("SIGHUP");
    },
    async stop(): Promise<void> {
      stopping.abort();
      child?.kill("SIGTERM");
      await Promise.race([running, wait(drainMs + STOP_TIMEOUT_MS, undefined, { ref: false })]);
      child?.kill("SIGKILL");
      await running;
    },
  };
}
