import { expect, it } from "vitest";
import { sampleTarget, sampleTask } from "../../../../test/support/sample-task.ts";
import { TASK_PANELS } from "./task-panels.ts";

const failed = sampleTarget({ status: "error", error: { code: 1006, message: "unreachable" } });
const listPanels = (...targets: ReturnType<typeof sampleTarget>[]) =>
  TASK_PANELS.filter(({ isFor }) => isFor(sampleTask(targets))).map(({ id }) => id);

it("[PG5] a Task with nothing to play shows the reasons instead of a mixer", () => {
  expect(listPanels(failed, failed)).toEqual([]);
  expect(listPanels(failed, sampleTarget())).toEqual(["mixer"]);
  expect(listPanels(sampleTarget({ model: "transcription", status: "completed" }))).toEqual([
    "words",
    "mixer",
  ]);
});
