import { describe, expect, it } from "vitest";
import { sampleTarget, sampleTask } from "../../../test/support/sample-task.ts";
import { toRetryInput, toTaskInput } from "./task-input.ts";

const WISHES = {
  model: "transcription",
  formats: ["srt"],
  language: "en",
  speakers: 2,
  speakerNames: true,
  translate: true,
  prompt: "A talk",
  keywords: ["Stemwright"],
  maxLineLength: 30,
  maxLines: 1,
} as const;
const done = sampleTarget({
  ...WISHES,
  formats: ["srt"],
  keywords: ["Stemwright"],
  status: "completed",
  cost: 1,
});
const failed = sampleTarget({ id: "g2", status: "error", error: { code: 1001, message: "Not audio" } });
const task = { ...sampleTask([done, failed], "2026-01-31T09:31:00.000Z"), assetId: "a1", cost: 1 };

describe("a Task that is run again", () => {
  it("[PG5] is requested with all its options, and without its results", () => {
    expect(toTaskInput(task)).toEqual({
      assetId: "a1",
      targets: [WISHES, { model: "vocals", formats: ["wav"] }],
    });
  });

  it("[PG5] is requested with only the failed targets for a retry", () => {
    expect(toRetryInput(task)).toEqual({ assetId: "a1", targets: [{ model: "vocals", formats: ["wav"] }] });
  });
});
