import type { TargetInput, TaskInput, TaskListItem } from "@stemwright/sdk";

const TARGET_FIELDS = [
  "model",
  "formats",
  "variant",
  "residual",
  "language",
  "transcriptUrl",
  "transcriptAssetId",
  "bitDepth",
] as const satisfies readonly (keyof TargetInput)[];
const TASK_FIELDS = [
  "assetId",
  "url",
  "storageIntegrationId",
  "writeDestination",
  "metadata",
  "priority",
] as const;

const pick = (from: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

/** The request that a Task was made by, as far as it tells: for the same work once more. */
export const toTaskInput = (task: TaskListItem): TaskInput =>
  ({
    ...pick(task, TASK_FIELDS),
    targets: task.targets.map((target) => pick(target, TARGET_FIELDS)),
  }) as TaskInput;
