import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import sonicBoom, { type SonicBoom } from "sonic-boom";

/** Linux's PIPE_BUF: writes up to this size are atomic, even with several processes on one pipe. */
const ATOMIC_WRITE_BYTES = 4096;
/** Buffered for a slow reader or a full disk; further lines are lost. */
const MAX_WAITING_BYTES = 4 * 1024 ** 2;
/** How long a reader that does not read may delay the exit. */
const EXIT_MS = 1000;

const opened = new Map<SonicBoom, { isFile: boolean }>();
let retryUntilMs = Number.POSITIVE_INFINITY;

/** Writes asynchronously. What can't be written is buffered or lost: neither a full disk nor a closed pipe stops the service. */
export function openLogDestination(logFile: string | undefined): SonicBoom {
  if (logFile !== undefined) makeLogFile(logFile);
  if (opened.size === 0) process.once("exit", flushBeforeExit);
  const destination = new sonicBoom.SonicBoom({
    // The stream's own descriptor, which Node sets to non-blocking.
    dest: logFile ?? process.stderr.fd,
    maxWrite: ATOMIC_WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
    mode: 0o600,
    retryEAGAIN: () => performance.now() < retryUntilMs,
  });
  destination.on("error", () => {});
  opened.set(destination, { isFile: logFile !== undefined });
  return destination;
}

/** Fails at start if the file can't be written. */
function makeLogFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** After the files were moved, for example by logrotate. */
export function reopenLogFiles(): void {
  for (const [destination, { isFile }] of opened) if (isFile) destination.reopen();
}

function flushBeforeExit(): void {
  retryUntilMs = performance.now() + EXIT_MS;
  for (const destination of opened.keys()) {
    try {
      destination.flushSync();
    } catch {
      // Nothing left to report to.
    }
  }
}
