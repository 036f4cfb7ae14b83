import { expect, it } from "vitest";
import type { TargetRecord } from "../domain/tasks/task-record.ts";
import { toEngineTarget } from "./engine-target.ts";

it.each(["en", "EN", "en-US", "en_GB"])("[V6] the language %s is en to the engine", (language) => {
  const target = { id: "t", model: "transcription", formats: ["json"], language } as TargetRecord;
  expect(toEngineTarget(target, "/work")).toMatchObject({ kind: "text", language: "en" });
});

it("[V10] [V11] [Y4] what guides the network, and the room of subtitles, reach the engine", () => {
  const wishes = { translate: true, prompt: "Ships.", keywords: ["Aoife"], maxLineLength: 30, maxLines: 1 };
  const target = { id: "t", model: "transcription", formats: ["srt"], ...wishes } as unknown as TargetRecord;
  expect(toEngineTarget(target, "/work")).toMatchObject({
    isTranslated: true,
    prompt: "Ships.",
    keywords: ["Aoife"],
    cueLimits: { rowWidth: 30, rows: 1 },
  });
});
