import { writeFile } from "node:fs/promises";
import { EngineError } from "@stemwright/engine";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { TargetEnd, TaskRecord } from "../domain/tasks/task-record.ts";
import { type RunTaskPorts, runTask } from "./run-task.ts";

const target = { model: "vocals", formats: ["wav"], status: "processing", output: [] };
const task = {
  id: "task",
  clientId: "client",
  assetId: "asset",
  createdAt: new Date(),
  targets: ["done", "failed"].map((id) => ({ ...target, id })),
} as unknown as TaskRecord;

type Ports = Partial<Record<keyof RunTaskPorts, unknown>> & Pick<RunTaskPorts, "engine">;

/** Runs the Task over stores that hold nothing but its input. */
async function run(given: Ports): Promise<void> {
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
    ...given,
  };
  await runTask(ports as unknown as RunTaskPorts, "task", new AbortController().signal);
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
      close: async () => {},
    },
    reports: {
      findTask: async () => task,
      endTarget: async () => isEnded,
      startRun: async () => {},
      endRun: async () => {},
    },
    log: { info: log, warn: log },
  });
  expect(lines).toEqual(told);
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
        close: async () => {},
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
        async endTarget(_: string, id: string, end: TargetEnd) {
          if (ended.has(id)) return false;
          ended.set(id, end);
          return true;
        },
        startRun: async () => {},
        endRun: async () => {},
      },
    });
    expect(seen).toEqual(runs);
    expect([...ended.values()].map((end) => (end.status === "error" ? end.error.code : end.status))).toEqual(
      ends,
    );
  },
);
