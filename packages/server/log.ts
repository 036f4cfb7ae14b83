import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "./config/load-config.ts";

const STANDARD_ERROR = 2;

/** Structured logs, a JSON object a line. No headers and no query strings: keys and signatures travel there. */
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
          path: request.url.split("?")[0],
          remoteAddress: request.ip,
        }),
        err: pino.stdSerializers.err,
      },
    },
    destination,
  );
}

function openDestination(logFile: string | undefined): DestinationStream {
  if (logFile !== undefined) mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  return pino.destination({ dest: logFile ?? STANDARD_ERROR, sync: true });
}
