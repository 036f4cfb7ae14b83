import type { FastifyBaseLogger } from "fastify";
import type { SchemaFault } from "../db/schema/schema-fault.ts";

/** Fixed phrases for searching the log. */
const PHRASES: Record<SchemaFault["kind"], string> = {
  "too-old": "database schema too old, waiting for migrations",
  "too-new": "database schema too new for this release, taking no work",
};

export const logSchemaFault = (log: Pick<FastifyBaseLogger, "warn">, { kind, message }: SchemaFault) =>
  log.warn({ reason: message }, PHRASES[kind]);
