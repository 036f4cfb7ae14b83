import { setTimeout as wait } from "node:timers/promises";
import type { SchemaFault } from "../db/schema/schema-fault.ts";
import { logSchemaFault } from "../monitoring/log-schema-fault.ts";
import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";

const LOOK_MS = 1000;

/** Resolves once this release can work with the database's schema; says why it waits. Fails when the signal is aborted. */
export async function waitForSchema(
  findFault: () => Promise<SchemaFault | undefined>,
  options: RetryPolicy & { onFault?: (fault: SchemaFault) => Promise<void> },
): Promise<void> {
  let reported: string | undefined;
  for (;;) {
    const fault = await callUntilAnswered(findFault, options);
    if (!fault) return;
    if (fault.message !== reported) logSchemaFault(options.log, fault);
    reported = fault.message;
    await options.onFault?.(fault);
    await wait(LOOK_MS, undefined, { signal: options.signal });
  }
}
