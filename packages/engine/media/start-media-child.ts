import { type ChildProcess, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import type { z } from "zod";
import { findCompileCachePath } from "../compile-cache.ts";
import { findShellSignal, isOutsideSignal } from "../outside-signal.ts";
import { loadSandboxCommand, SANDBOX_ENVIRONMENT } from "../sandbox/sandbox-command.ts";
import { MediaError } from "./media-error.ts";
import type { MediaReport, MediaRequest, MediaWork } from "./media-request.ts";
import { readReports } from "./read-reports.ts";
import { getSandboxMode } from "./sandbox-mode.ts";

const ENGINE_DIR = dirname(import.meta.dirname);
/** TypeScript in a checkout, JavaScript in the published package. */
const CHILD_PATH = join(import.meta.dirname, "child", `media-child${extname(import.meta.filename)}`);

/** stdin, stdout, stderr and the channel for requests and reports come before the files. */
const CHANNEL_FD = 3;
export const FIRST_FILE_FD = CHANNEL_FD + 1;

const STALL_LIMIT_MS = 60_000;
const STDERR_KEPT_CHARS = 2000;

export type MediaChildOptions<Result> = {
  work: MediaWork;
  /** Validates the result: the child may have been taken over by the file it read. */
  resultSchema: z.ZodType<Result>;
  /** Inherited as descriptors FIRST_FILE_FD, FIRST_FILE_FD + 1, … in this order. */
  files?: readonly FileHandle[];
  /** An encoder child waits for its caller, so its silence means nothing until the caller waits for it. */
  watchStall: boolean;
  stallLimitMs?: number;
  onProgress?: ((fraction: number) => void) | undefined;
};

export interface MediaChild<Result> {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  /** Settles once the process has exited, so that no descriptor or half-written byte outlives it. */
  readonly result: Promise<Result>;
  readonly ready: Promise<void>;
  /** From here on, a child that is silent for the stall limit is killed. */
  startStallWatch(): void;
  stopStallWatch(): void;
  kill(): void;
}

/** Starts the sandboxed process, the only one that touches media bytes. */
export async function startMediaChild<Result>(
  options: MediaChildOptions<Result>,
): Promise<MediaChild<Result>> {
  return superviseChild(await spawnConfined(CHILD_PATH, options.files), options);
}

/** Starts one of our programs with as few privileges as can be dropped from outside; it drops the rest itself. */
export async function spawnConfined(
  programPath: string,
  files: readonly FileHandle[] = [],
): Promise<ChildProcess> {
  const cachePath = findCompileCachePath();
  const namespaces = await loadSandboxCommand();
  const [command = process.execPath, ...args] = [
    ...namespaces,
    process.execPath,
    // A warning would have the event loop watch stderr, which it can't in the sandbox.
    "--no-warnings",
    // Collects garbage of a long file before it grows to tens of megabytes.
    "--max-semi-space-size=1",
    ...listPermissions(cachePath),
    programPath,
    ...namespaces.slice(0, 1),
  ];
  return spawn(command, args, {
    stdio: ["pipe", "ignore", "pipe", "pipe", ...files.map((file) => file.fd)],
    env: { ...SANDBOX_ENVIRONMENT, ...(cachePath ? { NODE_COMPILE_CACHE: cachePath } : {}) },
    cwd: "/",
  });
}

/** Node permissions of the child: read our code and its dependencies, and write the compile cache. */
function listPermissions(cachePath: string | undefined): string[] {
  const cache = cachePath === undefined ? [] : [cachePath];
  return [
    "--permission",
    "--allow-addons",
    ...[...listCodeFolders(), ...cache].map((folder) => `--allow-fs-read=${folder}/*`),
    ...cache.map((folder) => `--allow-fs-write=${folder}/*`),
  ];
}

/** The engine, and every folder in which Node looks for its packages. */
function listCodeFolders(): string[] {
  const folders = [ENGINE_DIR];
  for (let folder = ENGINE_DIR; folder !== dirname(folder); folder = dirname(folder))
    folders.push(join(folder, "node_modules"));
  return folders;
}

function superviseChild<Result>(child: ChildProcess, options: MediaChildOptions<Result>): MediaChild<Result> {
  const { stdin, stderr } = child;
  // Without free file descriptors none of these exist, whatever the types say.
  const stdio: readonly unknown[] | undefined = child.stdio;
  const channel = stdio?.[CHANNEL_FD] as Duplex | undefined;
  if (!stdin || !stderr || !channel) {
    // Node also emits an error event shortly afterwards.
    child.on("error", () => {});
    throw new MediaError("machine-failed", "The media process cannot be started (out of file descriptors).");
  }
  const stall = makeStallWatch(child, options.stallLimitMs ?? STALL_LIMIT_MS);
  if (options.watchStall) stall.start();
  // A child that died shows as EPIPE here; `result` reports its end.
  stdin.on("error", () => {});
  channel.on("error", () => {});
  const lastWords = keepLastWords(stderr as Readable);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ code: number | null; exitSignal: string | null }>();
  let report: MediaReport | undefined;

  const receive = (message: MediaReport) => {
    stall.touch();
    if (message.kind === "ready") ready.resolve();
    else if (message.kind === "progress") options.onProgress?.(message.fraction);
    else report = message;
  };
  readReports(channel, receive, () => child.kill("SIGKILL"));
  child.on("error", (cause) => {
    ended.reject(
      new MediaError("machine-failed", `The media process cannot be started (${cause.message}).`, { cause }),
    );
  });
  child.on("close", (code, signal) => ended.resolve({ code, exitSignal: signal ?? findShellSignal(code) }));
  const request: MediaRequest = { work: options.work, sandbox: getSandboxMode() };
  channel.write(`${JSON.stringify(request)}\n`);

  const result = ended.promise
    .then(({ code, exitSignal }) => {
      if (report?.kind === "done") return parseResult(options.resultSchema, report.result);
      if (report?.kind === "failed") throw new MediaError(report.errorKind, report.message);
      if (stall.stalled) throw makeStalledError();
      if (!child.killed && isOutsideSignal(exitSignal)) throw makeKilledError(exitSignal);
      if (options.work.kind === "probe" && exitSignal === "SIGXCPU")
        throw makeTooCostlyError(options.work.cpuSeconds);
      throw makeCrashError({ code, exitSignal, lastWords: lastWords() });
    })
    .finally(stall.stop);
  result.catch((error) => ready.reject(error));
  ready.promise.catch(() => {});
  return {
    pid: child.pid,
    stdin,
    result,
    ready: ready.promise,
    startStallWatch: stall.start,
    stopStallWatch: stall.stop,
    kill: () => child.kill("SIGKILL"),
  };
}

function parseResult<Result>(schema: z.ZodType<Result>, result: unknown): Result {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new MediaError("crashed", "The media process returned an invalid result.", {
    cause: parsed.error,
  });
}

function makeStallWatch(child: ChildProcess, limitMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const watch = {
    stalled: false,
    start() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        watch.stalled = true;
        child.kill("SIGKILL");
      }, limitMs);
    },
    touch() {
      if (timer) watch.start();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
  return watch;
}

function keepLastWords(stderr: Readable): () => string {
  let kept = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    kept = (kept + text).slice(-STDERR_KEPT_CHARS);
  });
  return () => kept;
}

function makeStalledError(): MediaError {
  return new MediaError(
    "crashed",
    "Processing the file made no progress and was stopped. The file may be damaged.",
  );
}

/** The same each time, unlike a crash: CPU time does not depend on what else the machine does. */
function makeTooCostlyError(cpuSeconds: number): MediaError {
  return new MediaError(
    "unreadable",
    `Reading what the file is took more than ${cpuSeconds} seconds of CPU time. It is damaged, or built to take long; convert it to another format and try again.`,
  );
}

/** Not the file's fault: the same file may be read fine next time. */
function makeKilledError(exitSignal: string | null): MediaError {
  return new MediaError(
    "machine-failed",
    `The media process was ended from outside (signal ${exitSignal}), possibly because the machine is out of memory.`,
  );
}

function makeCrashError(end: {
  code: number | null;
  exitSignal: string | null;
  lastWords: string;
}): MediaError {
  const how = end.exitSignal ? `signal ${end.exitSignal}` : `exit code ${end.code}`;
  return new MediaError(
    "crashed",
    `The media process ended unexpectedly (${how}). The file may be damaged or need more memory than is allowed.`,
    { cause: end.lastWords },
  );
}
