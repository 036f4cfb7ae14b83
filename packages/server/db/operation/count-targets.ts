import type { TargetStatus } from "@stemwright/contract";
import type { DatabaseHandle } from "../database.ts";
import { readTotals } from "./service-totals.ts";

type Count = { status: TargetStatus; targets: number; tasks: number };

/** Targets by state, and Tasks with at least one target in that state: unfinished ones, and all that ever ended. */
export async function countTargets(db: DatabaseHandle): Promise<Count[]> {
  const processing = await db
    .selectFrom("targets")
    .select((eb) => [
      eb.fn.countAll<number>().as("targets"),
      eb.fn.count<number>("task_id").distinct().as("tasks"),
    ])
    .where("status", "=", "processing")
    .executeTakeFirstOrThrow();
  const totals = await readTotals(db);
  const ended = (["completed", "error"] as const).map((status) => ({
    status,
    targets: totals.get(`targets ${status}`) ?? 0,
    tasks: totals.get(`tasks ${status}`) ?? 0,
  }));
  return [{ status: "processing", ...processing }, ...ended];
}
