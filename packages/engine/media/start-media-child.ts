import { type ChildProcess, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { findCompileCachePath } from "../compile-cache.ts";
import { isOutsideSignal } from "../outside-signal.ts";
import { MediaError } from "./media-error.ts";
import type { MediaReport, MediaRequest } from "./media-request.ts";
import { loadSandboxCommand, SANDBOX_ENVIRONMENT } from "./sandbox-command.ts";

const CHILD_PATH = fileURLToPath(new URL("./child/media-child.ts", import.meta.url));

/** stdin, stdout, stderr and the IPC channel come before the files. */
export const FIRST_FILE_FD = 4;

const STALL_LIMIT_MS = 60_000;
const STDERR_KEPT_CHARS = 2000;

export type MediaChildOptions = {
  request: MediaRequest;
  /** Inherited as descriptors FIRST_FILE_FD, FIRST_FILE_FD + 1, … in this order. */
  files?: readonly FileHandle[];
  /** An encode waits for its caller, so silence means nothing there until the caller waits for it. */
  watchStall: boolean;
  stallLimitMs?: number;
  onProgress?: ((fraction: number) => void) | undefined;
};

export interface MediaChild {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  /** Settles once the process has ended, so that no descriptor or half-written byte outlives it. */
  readonly result: Promise<unknown>;
  readonly ready: Promise<void>;
  /** From here on, a child that is silent for the stall limit is killed. */
  startStallWatch(): void;
  stopStallWatch(): void;
  kill(): void;
}

/** Starts the sandboxed process that alone touches media bytes. */
export async function startMediaChild(options: MediaChildOptions): Promise<MediaChild> {
  const [command = process.execPath, ...args] = [
    ...(await loadSandboxCommand()),
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    // What is thrown away by a long file is collected before it is tens of megabytes.
    "--max-semi-space-size=1",
    CHILD_PATH,
  ];
  const cachePath = findCompileCachePath();
  const fds = (options.files ?? []).map((file) => file.fd);
  const child = spawn(command, args, {
    stdio: ["pipe", "ignore", "pipe", "ipc", ...fds],
    env: { ...SANDBOX_ENVIRONMENT, ...(cachePath ? { NODE_COMPILE_CACHE: cachePath } : {}) },
    cwd: "/",
  });
  return superviseChild(child, options);
}

function superviseChild(child: ChildProcess, options: MediaChildOptions): MediaChild {
  const { stdin, stderr } = child;
  if (!stdin || !stderr) {
    // Node tells of it a moment later, too.
    child.on("error", () => {});
    throw new MediaError(
      "machine-failed",
      "The media process cannot be started (no file descriptor is left).",
    );
  }
  const stall = makeStallWatch(child, options.stallLimitMs ?? STALL_LIMIT_MS);
  if (options.watchStall) stall.start();
  // A child that died shows as EPIPE here; its end is reported by `result`.
  stdin.on("error", () => {});
  const lastWords = keepLastWords(stderr as Readable);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ code: number | null; exitSignal: string | null }>();
  let report: MediaReport | undefined;

  child.on("message", (message: MediaReport) => {
    stall.touch();
    if (message.kind === "ready") ready.resolve();
    else if (message.kind === "progress") options.onProgress?.(message.fraction);
    else report = message;
  });
  child.on("error", (cause) => {
    ended.reject(
      new MediaError("machine-failed", `The media process cannot be started (${cause.message}).`, { cause }),
    );
  });
  child.on("close", (code, exitSignal) => ended.resolve({ code, exitSignal }));
  child.send(options.request, () => {});

  const result = ended.promise
    .then(({ code, exitSignal }) => {
      if (report?.kind === "done") return report.result;
      if (report?.kind === "failed") throw new MediaError(report.errorKind, report.message);
      if (stall.stalled) throw makeStalledError();
      if (!child.killed && isOutsideSignal(exitSignal)) throw makeKilledError(exitSignal);
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
    "Working on the file made no progress and was stopped. The file may be damaged.",
  );
}

/** Not the file's doing: the same file may well be read the next time. */
function makeKilledError(exitSignal: string | null): MediaError {
  return new MediaError(
    "machine-failed",
    `The media process was ended from outside (signal ${exitSignal}), by a machine short of memory perhaps.`,
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
