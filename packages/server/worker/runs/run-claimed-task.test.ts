import { writeFile } from "node:fs/promises";
import { EngineError } from "@stemwright/engine";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { withoutLimits } from "../../../../test/support/without-limits.ts";
import type { TargetEnd, TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type RunTaskPorts, runTask } from "./run-claimed-task.ts";

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
  await runTask(ports as unknown as RunTaskPorts, { taskId: "task", token: "run" }, signal);
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

const both = ["done", "failed"];

it.each([
  { kept: 2, isEnough: true, fails: "a target", runs: [both, ["failed"]], ends: ["completed", "completed"] },
  { kept: 2, isEnough: true, fails: "all", runs: [both, ["failed"]], ends: ["completed", "completed"] },
  { kept: 2, isEnough: false, fails: "a target", runs: [both, ["failed"]], ends: ["completed", 3002] },
  { kept: 2, isEnough: false, fails: "all", runs: [both, ["failed"]], ends: ["completed", 3002] },
  { kept: 0, isEnough: true, fails: "a target", runs: [both], ends: ["completed", 3002] },
])(
  "[P2] [O11] $fails that a full disk fails is tried again where $kept kept stems made room, which is enough: $isEnough",
  async ({ kept, isEnough, fails, runs, ends }) => {
    const seen: string[][] = [];
    const ended = new Map<string, TargetEnd>();
    const full = new EngineError("disk-full", "The disk is full.");
    await run({
      engine: {
        async run({ targets }, hooks = {}) {
          const keys = targets.map(({ key }) => key);
          seen.push(keys);
          for (const key of keys) {
            const hasRoom = key === "done" || (seen.length === 2 && isEnough);
            if (hasRoom) await hooks.onTargetDone?.(key, { durationSeconds: 1 });
            else if (fails === "all") throw full;
            else await hooks.onTargetFailed?.(key, full);
          }
        },
      },
      keptStems: { giveUp: async () => kept },
      reports: {
        findTask: async () => ({
          ...task,
          targets: task.targets.map((each) => ({
            ...each,
            status: ended.get(each.id)?.status ?? "processing",
          })),
        }),
        async endTarget(_: unknown, id: string, end: TargetEnd) {
          if (ended.has(id)) return false;
          ended.set(id, end);
          return true;
        },
        startRun: async () => {},
      },
    });
    expect(seen).toEqual(runs);
    expect([...ended.values()].map((end) => (end.status === "error" ? end.error.code : end.status))).toEqual(
      ends,
    );
  },
);
