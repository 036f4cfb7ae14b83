import type { FastifyBaseLogger } from "fastify";
import type { SchemaFault } from "../db/schema/schema-fault.ts";
import { logSchemaFault } from "./log-schema-fault.ts";

export type SchemaWatch = {
  /** As of the last check. */
  findFault(): SchemaFault | undefined;
  close(): void;
};

/** Checks periodically whether this release still supports the schema: another may have changed it. */
export function watchSchema(options: {
  findFault: () => Promise<SchemaFault | undefined>;
  intervalMs: number;
  log: Pick<FastifyBaseLogger, "warn">;
  onFault?: () => void;
}): SchemaWatch {
  let fault: SchemaFault | undefined;
  async function look(): Promise<void> {
    const found = await options.findFault();
    if (found && found.message !== fault?.message) {
      logSchemaFault(options.log, found);
      options.onFault?.();
    }
    fault = found;
  }
  // While the database is unavailable, the last result holds.
  const timer = setInterval(() => void look().catch(() => {}), options.intervalMs);
  timer.unref();
  return { findFault: () => fault, close: () => clearInterval(timer) };
}
