import type { Target, Task } from "@stemwright/sdk";

const MODELS = ["transcription", "alignment"];

/** The targets of a Task that have words. */
export const listWordTargets = (task: Task): Target[] =>
  task.targets.filter(({ model, status }) => MODELS.includes(model) && status === "completed");
