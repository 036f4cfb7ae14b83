import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "../config/load-config.ts";
import { openLogDestination } from "./log-destination.ts";
import { serializeError } from "./serialize-error.ts";

/** Structured logs, one JSON object per line. Without headers, query strings and connections, which contain keys and signatures. */
export function makeLog(
  config: Pick<Config, "logLevel" | "logFile">,
  role: string,
  destination: DestinationStream = openLogDestination(config.logFile),
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

/** A share's token grants access, so it is not logged. */
const hideToken = (path: string) => path.replace(/^\/shares\/[^/]+/, "/shares/…");
