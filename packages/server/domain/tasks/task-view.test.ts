import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskRecord } from "./task-record.ts";
import { toTask } from "./task-view.ts";

const now = new Date("2026-01-31T12:00:00.000Z");
beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

/** How far a Task's only target is, as a reader sees it. */
function advanceOf(
  progress: number,
  fields: Pick<TaskRecord, "run" | "queuePosition"> & { progressAt?: Date },
) {
  const { progressAt = now, ...taskFields } = fields;
  const target = {
    id: "t",
    model: "vocals",
    formats: ["wav"],
    creditsPerMinute: 1,
    output: [],
    progress,
    progressAt,
  };
  const record: TaskRecord = {
    id: "a",
    clientId: "client",
    createdAt: now,
    completedAt: null,
    targets: [{ ...target, status: "processing" }],
    ...taskFields,
  };
  const [view] = toTask(record, { sign: () => "" }).targets;
  return { queuePosition: view?.queuePosition, etaSeconds: view?.etaSeconds };
}
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe("how far a target is", () => {
  it("[T14] a waiting one has its place in the line and no time", () => {
    expect(advanceOf(0, { queuePosition: 7 })).toEqual({ queuePosition: 7, etaSeconds: undefined });
  });

  it("[T14] a running one has place 0, and the time its rest takes at the pace so far", () => {
    const run = { startedAt: secondsAgo(30), startProgress: 0 };
    expect(advanceOf(0, { run })).toEqual({ queuePosition: 0, etaSeconds: undefined });
    expect(advanceOf(0.25, { run })).toEqual({ queuePosition: 0, etaSeconds: 90 });
    expect(advanceOf(1, { run })).toEqual({ queuePosition: 0, etaSeconds: 0 });
  });

  it("[T14] a report that is some seconds old tells of then, and those seconds are over", () => {
    const run = { startedAt: secondsAgo(40), startProgress: 0 };
    expect(advanceOf(0.25, { run, progressAt: secondsAgo(10) }).etaSeconds).toBe(80);
    expect(advanceOf(0.9, { run, progressAt: secondsAgo(10) }).etaSeconds).toBe(0);
  });

  it("[T14] what an earlier run did is not taken for this one's pace", () => {
    const run = { startedAt: secondsAgo(10), startProgress: 0.5 };
    expect(advanceOf(0.5, { run }).etaSeconds).toBeUndefined();
    expect(advanceOf(0.75, { run }).etaSeconds).toBe(10);
  });
});
