import type { Target, TargetInput, Task, TaskInput } from "@stemwright/sdk";

/** Fields of a target that the service sets; all others are the request's. */
const RESULT_FIELDS = [
  "id",
  "status",
  "output",
  "progress",
  "queuePosition",
  "etaSeconds",
  "cost",
  "duration",
  "error",
  "url",
] as const satisfies readonly (keyof Target)[];
const TASK_FIELDS = [
  "assetId",
  "url",
  "storageIntegrationId",
  "writeDestination",
  "metadata",
  "priority",
] as const;

function toTargetInput(target: Target): TargetInput {
  const options: Partial<Target> = { ...target };
  for (const name of RESULT_FIELDS) delete options[name];
  return options as TargetInput;
}

/** The request that would create the same Task again, from what the Task shows of it. */
export const toTaskInput = (task: Task): TaskInput => ({
  ...(Object.fromEntries(
    TASK_FIELDS.filter((name) => task[name] !== undefined).map((name) => [name, task[name]]),
  ) as Pick<TaskInput, "assetId" | "url">),
  targets: task.targets.map(toTargetInput),
});

/** The same, for failed and cancelled targets only. */
export const toRetryInput = (task: Task): TaskInput =>
  toTaskInput({ ...task, targets: task.targets.filter(({ status }) => status === "error") });
