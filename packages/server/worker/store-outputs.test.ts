import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "@stemwright/contract";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { Blobs } from "../domain/ports.ts";
import type { Bucket } from "../domain/storage/bucket.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { type StoreOutputsPorts, storeOutputs } from "./store-outputs.ts";

it("[O11] a store that fills up between two files ends the target, and keeps neither", async () => {
  const kept = new Set<string>();
  const blobs: Pick<Blobs, "adopt" | "delete"> = {
    async adopt(key) {
      if (kept.size === 1) throw new ApiError("STORAGE_FULL", "The server's disk is full");
      kept.add(key);
      return { sizeBytes: 1 };
    },
    async delete(keyPrefix) {
      for (const key of kept) if (key.startsWith(`${keyPrefix}/`)) kept.delete(key);
    },
  };
  const storing = storeOutputs({ blobs } as StoreOutputsPorts, {
    task: { id: "task" } as TaskRecord,
    targetId: "target",
    files: ["wav", "mp3"].map((format) => ({ name: "vocals", format, path: `vocals.${format}` })),
    signal: new AbortController().signal,
    over: new AbortController().signal,
  });
  await expect(storing).rejects.toMatchObject({ code: 3002 });
  expect([...kept]).toEqual([]);
});

it.each([
  { end: "is cancelled", left: [] },
  { end: "goes on in another worker", left: ["out/task/vocals.wav"] },
])("[N7] [T11] a Task that $end during the delivery leaves $left.length objects", async ({ end, left }) => {
  const folder = await makeTempDir("store-outputs");
  const files = ["wav", "mp3"].map((format) => ({ name: "vocals", format, path: join(folder, format) }));
  for (const { path } of files) await writeFile(path, "stem");
  const [stopping, over] = [new AbortController(), new AbortController()];
  const objects = new Set<string>();
  const bucket: Pick<Bucket, "write" | "delete"> = {
    async write(key, content) {
      content.destroy();
      if (key.endsWith("mp3")) (end === "is cancelled" ? over : stopping).abort();
      if (key.endsWith("mp3")) throw new Error("given up");
      objects.add(key);
    },
    async delete(key) {
      objects.delete(key);
    },
  };
  const ports = {
    integrations: { findIntegration: async () => ({}) },
    buckets: { open: async () => bucket },
  } as unknown as StoreOutputsPorts;
  const storing = storeOutputs(ports, {
    task: { id: "task", clientId: "client", writeDestination: "s3://music/out" } as TaskRecord,
    targetId: "target",
    files,
    signal: AbortSignal.any([stopping.signal, over.signal]),
    over: over.signal,
  });
  await expect(storing).rejects.toThrow("given up");
  expect([...objects]).toEqual(left);
});
