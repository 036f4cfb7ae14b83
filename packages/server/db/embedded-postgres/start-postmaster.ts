import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { BoundedLog } from "./bounded-log.ts";
import { isDiskFullMessage, makeDiskFullError } from "./disk-full.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { endPostmaster } from "./end-postmaster.ts";
import { findPostmasterPidFile } from "./postmaster-pid-file.ts";
import { programEnvironment } from "./run-program.ts";
import { toSpawnError } from "./to-spawn-error.ts";

export type Postmaster = { pid: number; ended: Promise<string>; end(): Promise<void> };

const pollMs = 20;
const leftoverSessionsMs = 15_000;

type PostmasterOptions = {
  program: string;
  dataDir: string;
  settingArgs: string[];
  ids: { uid: number; gid: number } | undefined;
  log: BoundedLog;
};

/** Resolves once the server takes connections; that takes as long as recovery needs, so there is no time limit. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const deadlineMs = performance.now() + leftoverSessionsMs;
  for (;;) {
    const logOffsetBytes = await options.log.sizeBytes();
    const child = await spawnPostmaster(options);
    if (await isReadyBeforeItEnds(child, options.dataDir)) return makePostmaster(child, options.log);
    const words = await options.log.readFrom(logOffsetBytes);
    // Sessions of a killed server end by themselves, within moments of noticing.
    const hasLeftoverSessions = words.includes("pre-existing shared memory block");
    if (!hasLeftoverSessions || performance.now() > deadlineMs) throw makeStartError(words, options);
    await sleep(200);
  }
}

async function spawnPostmaster(options: PostmasterOptions): Promise<ChildProcess> {
  const child = spawn(options.program, ["-D", options.dataDir, ...options.settingArgs], {
    cwd: options.dataDir,
    env: programEnvironment,
    stdio: ["ignore", options.log.fd, options.log.fd],
    // A session of its own: Ctrl-C in the terminal reaches the service alone, which ends PostgreSQL last.
    detached: true,
    ...options.ids,
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw error instanceof Error ? toSpawnError(error, options.program) : error;
  }
  return child;
}

async function isReadyBeforeItEnds(child: ChildProcess, dataDir: string): Promise<boolean> {
  while (!hasEnded(child)) {
    const pidFile = await findPostmasterPidFile(dataDir);
    if (pidFile?.pid === child.pid && pidFile?.isReady) return true;
    await sleep(pollMs);
  }
  return false;
}

function makePostmaster(child: ChildProcess, log: BoundedLog): Postmaster {
  const { pid } = child;
  if (pid === undefined) throw new Error("a running PostgreSQL has a pid");
  const ended = waitForEnd(child).then(() => {
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
    return `PostgreSQL ended (${how}); its log is ${log.path}`;
  });
  return {
    pid,
    ended,
    end: async () => {
      if (!hasEnded(child)) await endPostmaster(pid, async () => hasEnded(child));
    },
  };
}

async function waitForEnd(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, "exit");
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function makeStartError(words: string, options: PostmasterOptions): EmbeddedPostgresError {
  if (isDiskFullMessage(words)) return makeDiskFullError(options.dataDir);
  const lines = words.trim().split("\n");
  const reason = lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? "";
  return new EmbeddedPostgresError(
    "start_failed",
    `PostgreSQL did not start: ${reason}\nMore is in ${options.log.path}. Mend the cause and start again, or set DATABASE_URL to a PostgreSQL server.`,
  );
}
