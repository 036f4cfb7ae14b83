import type { TargetStatus } from "@stemwright/contract";
import type { DatabaseHandle } from "./database.ts";

/** Targets by state, and the Tasks that have at least one of that state. */
export async function countTargets(
  db: DatabaseHandle,
): Promise<{ status: TargetStatus; targets: number; tasks: number }[]> {
  return await db
    .selectFrom("targets")
    .select((eb) => [
      "status",
      eb.fn.countAll<number>().as("targets"),
      eb.fn.count<number>("task_id").distinct().as("tasks"),
    ])
    .groupBy("status")
    .orderBy("status")
    .execute();
}
