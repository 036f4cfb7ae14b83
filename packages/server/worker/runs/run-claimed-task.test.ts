import { writeFile } from "node:fs/promises";
import { EngineError } from "@stemwright/engine";
import { describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { withoutLimits } from "../../../../test/support/without-limits.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { TargetEnd, TaskRecord } from "../../domain/tasks/task-record.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import type { DiskSpace } from "../../monitoring/disk-room.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type RunTaskPorts, runClaimedTask } from "./run-claimed-task.ts";

const target = { model: "vocals", formats: ["wav"], status: "processing", output: [] };
const task = {
  id: "task",
  clientId: "client",
  assetId: "asset",
  createdAt: new Date(),
  audioSeconds: 5,
  runToken: "run",
  targets: ["done", "failed"].map((id) => ({ ...target, id })),
} as unknown as TaskRecord;

type Ports = Partial<Record<keyof RunTaskPorts, unknown>> & Pick<RunTaskPorts, "engine">;

/** Runs the Task on stores that contain only its input. */
async function run(given: Ports, signal = new AbortController().signal): Promise<void> {
  const ports = {
    workDir: await makeTempDir("run-task"),
    assets: { findAsset: async () => ({ blobKey: "blob" }) },
    blobs: {
      findSize: async () => 5,
      copyTo: (_: string, path: string) => writeFile(path, "sound"),
      adopt: async () => ({ sizeBytes: 4 }),
      delete: async () => {},
    },
    credits: { hasReservations: async () => false },
    log: { info: () => {}, warn: () => {} },
    ...withoutLimits,
    ...given,
  };
  await runClaimedTask(ports as unknown as RunTaskPorts, { taskId: "task", token: "run" }, signal);
}

it.each([
  { isEnded: true, told: ["target completed", "target failed"] },
  { isEnded: false, told: [] },
])("[Q2] the log tells of a target's end where this run made it: $isEnded", async ({ isEnded, told }) => {
  const lines: string[] = [];
  const log = (_: unknown, line: string) => void lines.push(line);
  await run({
    engine: {
      async run(_request, hooks = {}) {
        await hooks.onTargetDone?.("done", { durationSeconds: 1 });
        await hooks.onTargetFailed?.("failed", new EngineError("encode-failed", "no such encoder"));
      },
    },
    reports: {
      findTask: async () => task,
      endTarget: async () => isEnded,
      startRun: async () => {},
    },
    log: { info: log, warn: log },
  });
  expect(lines).toEqual(told);
});

it("[O12] an output's clipped samples are stored with it, and logged", async () => {
  const ends: TargetEnd[] = [];
  const lines: unknown[] = [];
  await run({
    engine: {
      async run({ targets }, hooks = {}) {
        const [target] = targets;
        const path = (target?.kind === "sound" && target.files[0]?.path) || "";
        await hooks.onTargetDone?.("done", { durationSeconds: 1, clippedSamples: { [path]: 7 } });
        await hooks.onTargetDone?.("failed", { durationSeconds: 1 });
      },
    },
    reports: {
      findTask: async () => task,
      async endTarget(_: string, __: string, end: TargetEnd) {
        ends.push(end);
        return true;
      },
      startRun: async () => {},
      endRun: async () => {},
    },
    log: { info: (facts: unknown, line: string) => void lines.push([facts, line]), warn: () => {} },
  });
  expect(ends).toMatchObject([
    { output: [{ name: "vocals", clippedSamples: 7 }] },
    { output: [{ name: "vocals" }] },
  ]);
  expect(ends[1]).not.toMatchObject({ output: [{ clippedSamples: expect.anything() }] });
  expect(lines).toContainEqual([
    { taskId: "task", targetId: "done", model: "vocals", file: "vocals.wav", clippedSamples: 7 },
    "output clipped at full scale",
  ]);
});

it("[T18] problems that only the operator can fix are logged as such", async () => {
  const lines: unknown[] = [];
  await run({
    engine: { run: async () => {} },
    assets: { findAsset: () => Promise.reject(new TargetFailure("NOT_SET_UP", "No credentials.")) },
    reports: {
      findTask: async () => task,
      endTarget: async () => true,
      startRun: async () => {},
      endRun: async () => {},
    },
    log: {
      info: () => {},
      warn: () => {},
      error: (facts: unknown, line: string) => void lines.push([facts, line]),
    },
  });
  const facts = { taskId: "task", targetId: "done", code: 9003, reason: "No credentials." };
  expect(lines).toContainEqual([facts, "operator action needed"]);
});

/** An engine that makes the first target, and a store that keeps its files. */
const makeStored = () => {
  const kept = new Set<string>();
  return {
    kept,
    engine: {
      async run(_request, hooks = {}) {
        await hooks.onTargetDone?.("done", { durationSeconds: 1 });
      },
    } satisfies RunTaskPorts["engine"],
    blobs: {
      findSize: async () => 5,
      copyTo: (_: string, path: string) => writeFile(path, "sound"),
      adopt: async (key: string) => {
        kept.add(key);
        return { sizeBytes: 4 };
      },
      delete: async () => kept.clear(),
    },
  };
};

it.each([
  { by: "completed by the worker it was taken from", status: "completed", files: 1 },
  { by: "cancelled", status: "error", files: 0 },
])("[Q2] the files of a target that is $by meanwhile: $files", async ({ status, files }) => {
  const { kept, engine, blobs } = makeStored();
  let isEnded = false;
  await run({
    engine,
    blobs,
    reports: {
      findTask: async () => (isEnded ? { ...task, targets: [{ ...task.targets[0], status }] } : task),
      async endTarget() {
        isEnded = true;
        return false;
      },
      startRun: async () => {},
    },
  });
  expect(kept.size).toBe(files);
});

it("[Q5] a worker that loses its Task while storing ends no target, and leaves the files to the next", async () => {
  const lost = new AbortController();
  const { kept, engine, blobs } = makeStored();
  const ends: unknown[] = [];
  const running = run(
    {
      engine,
      blobs: {
        ...blobs,
        async adopt(key: string) {
          lost.abort(new Error("the lock was lost"));
          return await blobs.adopt(key);
        },
      },
      reports: {
        findTask: async () => task,
        endTarget: async (...end: unknown[]) => ends.push(end),
        startRun: async () => {},
      },
    },
    lost.signal,
  );
  await expect(running).rejects.toThrow("the lock was lost");
  expect(ends).toEqual([]);
  expect(kept.size).toBe(1);
});

it.each([
  { hasPreviews: true, writeDestination: undefined, asked: { storedChunks: {} } },
  { hasPreviews: false, writeDestination: undefined, asked: undefined },
  { hasPreviews: true, writeDestination: "s3://bucket/folder", asked: undefined },
])("[PV8] previews are asked for unless they are turned off or outputs go elsewhere: %o", async (given) => {
  const { hasPreviews, writeDestination, asked } = given;
  let previews: unknown;
  const reports = {
    findTask: async () => ({ ...task, ...(writeDestination && { writeDestination }) }),
    findPreviews: async () => undefined,
    startRun: async () => {},
  };
  await run({
    hasPreviews,
    reports,
    engine: {
      async run(request) {
        previews = request.previews;
      },
    },
  });
  expect(previews).toEqual(asked);
});

it.each(["a target", "all", "the store", "the previews", "the database"])(
  "[Q21] [O11] a full disk that stops %s ends no target, and the run is over",
  async (what) => {
    const full = new EngineError("disk-full", "The disk is full.");
    const ends: TargetEnd[] = [];
    const running = run({
      engine: {
        async run(_request, hooks = {}) {
          if (what === "all") throw full;
          if (what === "a target") await hooks.onTargetFailed?.("failed", full);
          if (what === "the previews")
            await hooks.onPreview?.({ kind: "failed", message: "no space", isDiskFull: true });
          await hooks.onTargetDone?.("done", { durationSeconds: 1 });
        },
      },
      ...(what === "the store" && {
        blobs: {
          ...makeStored().blobs,
          async adopt() {
            throw new Refusal("STORAGE_FULL", "The server's disk is full");
          },
        },
      }),
      hasPreviews: what === "the previews",
      reports: {
        findTask: async () => task,
        findPreviews: async () => undefined,
        async endTarget(_: unknown, __: string, end: TargetEnd) {
          if (what === "the database") throw Object.assign(new Error("no space"), { code: "53100" });
          ends.push(end);
          return true;
        },
        startRun: async () => {},
      },
    });
    expect(isOutOfSpace(await running.catch((error) => error))).toBe(true);
    expect(ends).toEqual([]);
  },
);

describe("the room that a Task needs", () => {
  const media = { isReadable: true, durationSeconds: 100, sampleRateHz: 1000, channels: 1, hasVideo: false };
  /** 1,000 of work, 400,000 for each of two wavs, 20,000,000 for each of three tracks, and the input. */
  const NEEDED_BYTES = 1000 + 2 * 400_000 + 3 * 20_000_000 + 7;

  async function runWithin(space: DiskSpace, given: Partial<TaskRecord> = {}) {
    const ends: unknown[] = [];
    let runs = 0;
    const error = await run({
      engine: {
        async run() {
          runs += 1;
        },
      },
      assets: { findAsset: async () => ({ blobKey: "blob", media, sizeBytes: 7 }) },
      estimateWorkBytes: () => 1000,
      room: { look: async () => space },
      hasPreviews: true,
      reports: {
        findTask: async () => ({ ...task, ...given }),
        findPreviews: async () => undefined,
        async endTarget(_: unknown, __: string, end: unknown) {
          ends.push(end);
          return true;
        },
        startRun: async () => {},
      },
    }).catch((error) => error);
    return { runs, ends, error };
  }

  it("[Q21] is checked before anything is fetched; what does not fit now ends nothing", async () => {
    const enough = { freeBytes: NEEDED_BYTES, usableBytes: NEEDED_BYTES };
    expect(await runWithin(enough)).toEqual({ runs: 1, ends: [], error: undefined });
    const { runs, ends, error } = await runWithin({ ...enough, freeBytes: NEEDED_BYTES - 1e6 });
    expect([runs, ends]).toEqual([0, []]);
    expect(error).toMatchObject({ name: "ShortOfRoom", neededBytes: NEEDED_BYTES });
  });

  it("[Q21] fails with its size only if the volume could never give it", async () => {
    const { runs, ends } = await runWithin({ freeBytes: 0, usableBytes: NEEDED_BYTES - 1 });
    expect(runs).toBe(0);
    const message = `The Task needs ${NEEDED_BYTES} bytes of disk, and the worker's disk has ${NEEDED_BYTES - 1} in all. Send the input in parts, or request fewer stems and formats at once.`;
    expect(ends).toEqual(Array(2).fill({ status: "error", error: { code: 3002, message } }));
  });

  it("[Q21] is at least what a full disk has taught", async () => {
    const { runs, error } = await runWithin({ freeBytes: 1e9, usableBytes: 1e12 }, { roomNeededBytes: 2e9 });
    expect(runs).toBe(0);
    expect(error).toMatchObject({ neededBytes: 2e9 });
  });
});
