import { expect, it } from "vitest";
import { EngineError } from "../engine-error.ts";
import { TargetOutcomes } from "./target-outcomes.ts";

it.each([
  ["done", async () => undefined],
  ["failed", () => Promise.reject(new EngineError("network-failed", "it failed"))],
])("[PV3] a target is %s only once its previews no longer read what it was made of", async (end, work) => {
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  const outcomes = new TargetOutcomes({
    report: { onTargetDone: note("done"), onTargetFailed: note("failed") },
    previews: { whenWritten: async () => note("previews written")() },
    common: { durationSeconds: 1 },
  });
  await outcomes.finish({ kind: "text", key: "t", model: "transcription", files: [] }, work);
  expect(order).toEqual(["previews written", end]);
});
