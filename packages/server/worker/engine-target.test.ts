import { expect, it } from "vitest";
import type { TargetRecord } from "../domain/tasks/task-record.ts";
import { toEngineTarget } from "./engine-target.ts";

it.each(["en", "EN", "en-US", "en_GB"])("[V6] the language %s is en to the engine", (language) => {
  const target = { id: "t", model: "transcription", formats: ["json"], language } as TargetRecord;
  expect(toEngineTarget(target, "/work")).toMatchObject({ kind: "text", language: "en" });
});
