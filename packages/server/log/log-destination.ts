import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import sonicBoom, { type SonicBoom } from "sonic-boom";

/** PIPE_BUF of Linux: writes of other processes to the same pipe don't get between the bytes of so long a one. */
const ATOMIC_WRITE_BYTES = 4096;
/** Lines that wait for a slow reader or a full disk; those that come on top of them are lost. */
const WAITING_MAX_BYTES = 4 * 1024 ** 2;
/** How long a reader that does not read may hold up the end of the process. */
const EXIT_MS = 1000;

const opened = new Map<SonicBoom, { isFile: boolean }>();
let retryUntilMs = Number.POSITIVE_INFINITY;

/** Writes beside the event loop. What can't be written waits, or is lost: neither a full disk nor a reader that is gone ends the service. */
export function openLogDestination(logFile: string | undefined): SonicBoom {
  if (logFile !== undefined) makeLogFile(logFile);
  if (opened.size === 0) process.once("exit", flushBeforeExit);
  const destination = new sonicBoom.SonicBoom({
    // By the stream's own descriptor, which Node makes one that does not block.
    dest: logFile ?? process.stderr.fd,
    maxWrite: ATOMIC_WRITE_BYTES,
    maxLength: WAITING_MAX_BYTES,
    mode: 0o600,
    retryEAGAIN: () => performance.now() < retryUntilMs,
  });
  destination.on("error", () => {});
  opened.set(destination, { isFile: logFile !== undefined });
  return destination;
}

/** Fails here, where the service starts, if the file can't be written to. */
function makeLogFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** After the files were moved away, as by logrotate. */
export function reopenLogFiles(): void {
  for (const [destination, { isFile }] of opened) if (isFile) destination.reopen();
}

function flushBeforeExit(): void {
  retryUntilMs = performance.now() + EXIT_MS;
  for (const destination of opened.keys()) {
    try {
      destination.flushSync();
    } catch {
      // Nobody is left to be told.
    }
  }
}
