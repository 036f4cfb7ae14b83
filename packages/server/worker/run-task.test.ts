import { writeFile } from "node:fs/promises";
import { EngineError } from "@stemwright/engine";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { type RunTaskPorts, runTask } from "./run-task.ts";

const target = { model: "vocals", formats: ["wav"], status: "processing", output: [] };
const task = {
  id: "task",
  clientId: "client",
  assetId: "asset",
  createdAt: new Date(),
  targets: ["done", "failed"].map((id) => ({ ...target, id })),
} as unknown as TaskRecord;

it.each([
  { isEnded: true, told: ["target completed", "target failed"] },
  { isEnded: false, told: [] },
])("[Q2] the log tells of a target's end where this run made it: $isEnded", async ({ isEnded, told }) => {
  const lines: string[] = [];
  const log = (_: unknown, line: string) => void lines.push(line);
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
      endRun: async () => {},
    },
    log: { info: log, warn: log },
  } as Partial<Record<keyof RunTaskPorts, unknown>> & Pick<RunTaskPorts, "engine">;
  await runTask(ports as unknown as RunTaskPorts, "task", new AbortController().signal);
  expect(lines).toEqual(told);
});
