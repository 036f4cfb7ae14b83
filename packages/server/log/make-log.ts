import { mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "../config/load-config.ts";
import { serializeError } from "./serialize-error.ts";

const STANDARD_ERROR = 2;
/** How long a pipe whose reader is slow is waited for. */
const WAIT_MS = 10;
const WAITS_MAX = 100;
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** Structured logs, a JSON object a line. No headers, query strings and connections: keys and signatures travel there. */
export function makeLog(
  config: Pick<Config, "logLevel" | "logFile">,
  role: string,
  destination: DestinationStream = openDestination(config.logFile),
): FastifyBaseLogger {
  return pino(
    {
      level: config.logLevel,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        req: (request: FastifyRequest) => ({
          method: request.method,
          path: hideToken(request.url.split("?")[0] ?? ""),
          remoteAddress: request.ip,
        }),
        err: (error: unknown) => serializeError(error),
      },
    },
    destination,
  );
}

/** The token of a share opens what it is of. */
const hideToken = (path: string) => path.replace(/^\/shares\/[^/]+/, "/shares/…");

function openDestination(logFile: string | undefined): DestinationStream {
  if (logFile === undefined) return { write: (line) => writeLine(STANDARD_ERROR, line) };
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const file = openSync(logFile, "a", 0o600);
  return { write: (line) => writeLine(file, line) };
}

/** A line that can't be written is lost: neither a full disk nor a reader that is gone may end the service. */
function writeLine(file: number, line: string): void {
  const bytes = Buffer.from(line);
  let written = 0;
  for (let waits = 0; written < bytes.length && waits < WAITS_MAX; ) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      waits += 1;
      Atomics.wait(NOTHING, 0, 0, WAIT_MS);
    }
  }
}
