import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { BoundedLog } from "./bounded-log.ts";
import { isDiskFullMessage, makePostgresDiskFullError } from "./disk-full.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { endOrphan } from "./end-orphan.ts";
import { endPostmaster } from "./end-postmaster.ts";
import { findPostmasterPidFile } from "./postmaster-pid-file.ts";
import { programEnvironment } from "./run-program.ts";
import { toSpawnError } from "./to-spawn-error.ts";

export type Postmaster = {
  pid: number;
  /** Why it ended. */
  ended: Promise<EmbeddedPostgresError>;
  end(): Promise<void>;
};

const pollMs = 20;
const retryMs = 200;
const retryForMs = 15_000;

type PostmasterOptions = {
  program: string;
  dataDir: string;
  settingArgs: string[];
  ids: { uid: number; gid: number } | undefined;
  log: BoundedLog;
  signal?: AbortSignal;
};

/** Resolves once the server accepts connections; recovery may take any time, so only the signal aborts it. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const deadlineMs = performance.now() + retryForMs;
  for (;;) {
    const logOffsetBytes = await options.log.sizeBytes();
    const child = await spawnPostmaster(options);
    if (await isReadyBeforeItEnds(child, options))
      return makePostmaster(child, { ...options, logOffsetBytes });
    const words = await options.log.readFrom(logOffsetBytes);
    if (!isKeptOutByAnother(words) || performance.now() > deadlineMs) throw makeStartError(words, options);
    await sleep(retryMs, undefined, { signal: options.signal });
    await endOrphan(options.dataDir);
  }
}

/**
 * Sessions of a killed server hold its shared memory until they notice, moments later. And a server whose service was killed just after starting it
 * writes its pid file only now.
 */
function isKeptOutByAnother(words: string): boolean {
  return /pre-existing shared memory block|lock file "postmaster\.pid" already exists/.test(words);
}

async function spawnPostmaster(options: PostmasterOptions): Promise<ChildProcess> {
  try {
    const child = spawn(options.program, ["-D", options.dataDir, ...options.settingArgs], {
      cwd: options.dataDir,
      env: programEnvironment,
      stdio: ["ignore", options.log.fd, options.log.fd],
      // A separate session: Ctrl-C in the terminal reaches only the service, which stops PostgreSQL last.
      detached: true,
      ...options.ids,
    });
    await once(child, "spawn");
    // The only other error is a signal that could not be sent, which shows by the server not exiting.
    child.on("error", () => {});
    return child;
  } catch (error) {
    throw toSpawnError(error, options.program);
  }
}

async function isReadyBeforeItEnds(
  child: ChildProcess,
  { dataDir, signal }: PostmasterOptions,
): Promise<boolean> {
  try {
    while (!hasEnded(child)) {
      if (signal?.aborted) child.kill("SIGINT");
      const pidFile = await findPostmasterPidFile(dataDir);
      if (pidFile?.pid === child.pid && pidFile?.isReady) return true;
      await sleep(pollMs);
    }
    return false;
  } catch (error) {
    child.kill("SIGINT");
    throw error;
  }
}

type RunningOptions = Pick<PostmasterOptions, "dataDir" | "log"> & { logOffsetBytes: number };

function makePostmaster(child: ChildProcess, options: RunningOptions): Postmaster {
  const { pid } = child;
  if (pid === undefined) throw new Error("a running PostgreSQL has a pid");
  // A service that crashes or calls process.exit leaves no server behind; a killed one does, which endOrphan handles.
  const endWithService = () => child.kill("SIGINT");
  process.once("exit", endWithService);
  const ended = waitForEnd(child).then(() => {
    process.off("exit", endWithService);
    return describeEnd(child, options);
  });
  return {
    pid,
    ended,
    end: async () => {
      if (!hasEnded(child)) await endPostmaster(pid, async () => hasEnded(child));
    },
  };
}

/** A server that gives up exits with code 1. Most disk-full errors fail a single query and are not the reason. */
async function describeEnd(child: ChildProcess, options: RunningOptions): Promise<EmbeddedPostgresError> {
  const { dataDir, log, logOffsetBytes } = options;
  const words = child.exitCode === 1 ? await log.readFrom(logOffsetBytes).catch(() => "") : "";
  if (words.split("\n").some((line) => /FATAL|PANIC/.test(line) && isDiskFullMessage(line)))
    return makePostgresDiskFullError(dataDir);
  const how = child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
  return new EmbeddedPostgresError("server_ended", `PostgreSQL ended (${how}); its log is ${log.path}`);
}

async function waitForEnd(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, "exit");
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function makeStartError(words: string, options: PostmasterOptions): EmbeddedPostgresError {
  if (isDiskFullMessage(words)) return makePostgresDiskFullError(options.dataDir);
  const lines = words.trim().split("\n");
  const reason = lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? "";
  return new EmbeddedPostgresError(
    "start_failed",
    `PostgreSQL did not start: ${reason}\nMore is in ${options.log.path}. Fix the cause and start again, or set DATABASE_URL to a PostgreSQL server.`,
  );
}
