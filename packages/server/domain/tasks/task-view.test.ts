import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskRecord } from "./task-record.ts";
import { toTask } from "./task-view.ts";

const now = new Date("2026-01-31T12:00:00.000Z");
beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

/** The progress fields of a Task's only target, as a reader sees them. */
function advanceOf({
  expectedAt,
  ...taskFields
}: Pick<TaskRecord, "isRunning" | "queuePosition"> & { expectedAt?: Date }) {
  const target = {
    id: "t",
    model: "vocals",
    formats: ["wav"],
    creditsPerMinute: 1,
    output: [],
    progress: 0.5,
    ...(expectedAt && { expectedAt }),
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
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe("progress of a target", () => {
  it("[T14] a waiting target has its queue position and no time, whatever a previous run expected", () => {
    expect(advanceOf({ isRunning: false, queuePosition: 7, expectedAt: inSeconds(90) })).toEqual({
      queuePosition: 7,
      etaSeconds: undefined,
    });
  });

  it("[T14] a running target has position 0, and the remaining time once it is known", () => {
    expect(advanceOf({ isRunning: true })).toEqual({ queuePosition: 0, etaSeconds: undefined });
    const advance = advanceOf({ isRunning: true, expectedAt: inSeconds(89.5) });
    expect(advance).toEqual({ queuePosition: 0, etaSeconds: 90 });
  });

  it("[T14] the remaining time never falls below 0", () => {
    expect(advanceOf({ isRunning: true, expectedAt: inSeconds(-5) }).etaSeconds).toBe(0);
  });
});

describe("a target as readers see it", () => {
  const view = (fields: Partial<TaskRecord>, target: Partial<TaskRecord["targets"][number]>) =>
    toTask(
      {
        id: "a",
        clientId: "client",
        createdAt: now,
        completedAt: now,
        isRunning: false,
        ...fields,
        targets: [
          {
            id: "t",
            model: "vocals",
            formats: ["wav"],
            creditsPerMinute: 1,
            output: [],
            progress: 1,
            status: "completed",
            ...target,
          },
        ],
      },
      { sign: () => "" },
    ).targets[0];

  it.each([
    [200.50002267573697, 200.501],
    [61.1, 61.1],
    [1.005, 1.005],
    [10_800, 10_800],
    [1 / 192_000, 0.001],
    [60.0001, 60.001],
  ])("[T5] a duration of %d s is told to the millisecond: %d", (durationSeconds, duration) => {
    expect(view({}, { durationSeconds, cost: 1 })?.duration).toBe(duration);
  });

  it("[T9] progress has at most four decimals", () => {
    const shown = view({ completedAt: null }, { status: "processing", progress: 0.123456789012345 });
    expect(shown?.progress).toBe(0.1235);
  });

  it("[T5] repeats the Task's url, and has none if the input is an asset", () => {
    expect(view({ url: "https://example.com/a.wav" }, { cost: 1 })?.url).toBe("https://example.com/a.wav");
    expect(view({ assetId: "b" }, { cost: 1 })).not.toHaveProperty("url");
  });
});
