import type { TaskEstimate, TaskRequest } from "@stemwright/contract";
import type { Caller } from "../accounts/caller.ts";
import { sumCredits } from "../credits/credit-amounts.ts";
import { estimateCosts } from "../credits/target-costs.ts";
import { type CheckPorts, checkRequest } from "./create-task.ts";
import { toShownDuration } from "./shown-duration.ts";

const MINUTE_SECONDS = 60;

/** The cost of a Task if all its targets complete: same checks as for creating it; stores nothing except the asset's probe result. */
export async function estimateTask(
  ports: CheckPorts,
  caller: Caller,
  request: TaskRequest,
): Promise<TaskEstimate> {
  const { targets, durationSeconds } = await checkRequest(ports, caller, request);
  const rates = estimateCosts(targets, MINUTE_SECONDS);
  const costs = durationSeconds === undefined ? undefined : estimateCosts(targets, durationSeconds);
  return {
    ...(durationSeconds === undefined ? {} : { duration: toShownDuration(durationSeconds) }),
    creditsPerMinute: sumCredits(rates),
    ...(costs ? { cost: sumCredits(costs) } : {}),
    targets: targets.map(({ model, variant }, index) => ({
      model,
      ...(variant === undefined ? {} : { variant }),
      creditsPerMinute: rates[index] ?? 0,
      ...(costs ? { cost: costs[index] ?? 0 } : {}),
    })),
  };
}
