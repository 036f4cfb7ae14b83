import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";

const RESTART_DELAY_MS = 1000;
const STOP_TIMEOUT_MS = 8000;

/** Keeps a number of worker processes running: one that dies is started again. */
export function startWorkerProcesses(options: {
  count: number;
  environment: Record<string, string | undefined>;
  log: FastifyBaseLogger;
}) {
  const running = new Set<ChildProcess>();
  let isStopping = false;

  function start(): void {
    if (isStopping) return;
    const child = fork(join(import.meta.dirname, "main.ts"), ["worker"], {
      env: options.environment,
      // A process group of its own: Ctrl-C is for the parent to hear, which then ends the workers in order.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    running.add(child);
    child.on("exit", (code, signal) => {
      running.delete(child);
      if (isStopping) return;
      options.log.error({ code, signal, workerPid: child.pid }, "a worker ended; starting another");
      setTimeout(start, RESTART_DELAY_MS);
    });
  }

  for (let index = 0; index < options.count; index += 1) start();

  return {
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(
        [...running].map(async (child) => {
          const exited = once(child, "exit");
          child.kill("SIGTERM");
          await Promise.race([exited, wait(STOP_TIMEOUT_MS, undefined, { ref: false })]);
          if (child.exitCode === null && child.signalCode === null) {
            child.kill("SIGKILL");
            await exited;
          }
        }),
      );
    },
  };
}
