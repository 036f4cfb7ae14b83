import type { Target, TaskListItem } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { sampleTarget, sampleTask } from "../../../test/support/sample-task.ts";
import { describeTask } from "./task-state.ts";

const done = { status: "completed" } as const;
const failed = { status: "error", error: { code: 2001, message: "unreadable" } } as const;
const cancelled = { status: "error", error: { code: 4001, message: "cancelled" } } as const;
const make = (
  targets: Partial<Target>[],
  completedAt: string | null = "2026-01-31T09:31:00.000Z",
): TaskListItem =>
  sampleTask(
    targets.map((target) => sampleTarget(target)),
    completedAt ?? undefined,
  );

describe("[PG5] the state of a Task in words", () => {
  it.each<[Partial<Target>[], string, string]>([
    [[done, done], "good", "Done"],
    [[failed, failed], "bad", "Failed"],
    [[done, failed, cancelled], "bad", "1 of 3 failed"],
    [[cancelled, cancelled], "quiet", "Cancelled"],
    [[done, cancelled], "quiet", "1 of 2 cancelled"],
  ])("finished: %o", (targets, tone, text) => {
    expect(describeTask(make(targets))).toEqual({ tone, text, isFinished: true, progress: 1 });
  });

  it.each<[Partial<Target>[], string, number]>([
    [[{ queuePosition: 1 }], "Next in line", 0],
    [[{ queuePosition: 3 }, { queuePosition: 3 }], "3rd in line", 0],
    [[{ queuePosition: 112 }], "112th in line", 0],
    [[{ queuePosition: 0, progress: 0.5, etaSeconds: 40 }], "50 %, about 40 s left", 0.5],
    [[done, { queuePosition: 0, progress: 0.5 }], "75 %", 0.75],
  ])("under way: %o", (targets, text, progress) => {
    expect(describeTask(make(targets, null))).toEqual({ tone: "busy", text, isFinished: false, progress });
  });
});
