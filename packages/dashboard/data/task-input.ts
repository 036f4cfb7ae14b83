import type { Target, TargetInput, Task, TaskInput } from "@stemwright/sdk";

/** What the service says of a target. All else is as it was asked for. */
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
  const wishes: Partial<Target> = { ...target };
  for (const name of RESULT_FIELDS) delete wishes[name];
  return wishes as TargetInput;
}

/** The request that a Task was made by, as far as it tells: for the same work once more. */
export const toTaskInput = (task: Task): TaskInput => ({
  ...(Object.fromEntries(
    TASK_FIELDS.filter((name) => task[name] !== undefined).map((name) => [name, task[name]]),
  ) as Pick<TaskInput, "assetId" | "url">),
  targets: task.targets.map(toTargetInput),
});

/** The same for what failed or was cancelled alone. */
export const toRetryInput = (task: Task): TaskInput =>
  toTaskInput({ ...task, targets: task.targets.filter(({ status }) => status === "error") });
