import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { SchemaFault } from "../db/schema/schema-fault.ts";
import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";

const LOOK_MS = 1000;

/** Fixed phrases for searching the log. */
const PHRASES: Record<SchemaFault["kind"], string> = {
  "too-old": "database schema too old, waiting for migrations",
  "too-new": "database schema too new for this release, taking no work",
};

export const logSchemaFault = (log: Pick<FastifyBaseLogger, "warn">, { kind, message }: SchemaFault) =>
  log.warn({ reason: message }, PHRASES[kind]);

/** Resolves once this release can work with the database's schema; says why it waits. Fails when the signal is aborted. */
export async function waitForSchema(
  findFault: () => Promise<SchemaFault | undefined>,
  options: RetryPolicy & { onFault?: (fault: SchemaFault) => Promise<void> },
): Promise<void> {
  let told: string | undefined;
  for (;;) {
    const fault = await callUntilAnswered(findFault, options);
    if (!fault) return;
    if (fault.message !== told) logSchemaFault(options.log, fault);
    told = fault.message;
    await options.onFault?.(fault);
    await wait(LOOK_MS, undefined, { signal: options.signal });
  }
}
