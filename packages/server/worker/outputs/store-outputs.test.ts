import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { noQuota } from "../../../../test/support/without-limits.ts";
import type { Blobs } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Bucket } from "../../domain/storage/bucket.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { type StoreOutputsPorts, storeOutputs } from "./store-outputs.ts";

/** The Task's target in the database. */
const reportsOf = (status: string) =>
  ({
    findTask: async () => ({ targets: [{ id: "target", status }] }),
  }) as unknown as StoreOutputsPorts["reports"];

/** A store that accepts one file; the second fails with `failure`. */
function makeBlobs(failure: () => Error) {
  const kept = new Set<string>();
  const blobs: Pick<Blobs, "adopt" | "delete"> = {
    async adopt(key) {
      if (kept.size === 1) throw failure();
      kept.add(key);
      return { sizeBytes: 1 };
    },
    async delete(keyPrefix) {
      for (const key of kept) if (key.startsWith(`${keyPrefix}/`)) kept.delete(key);
    },
  };
  return { kept, blobs };
}

const finished = {
  task: { id: "task" } as TaskRecord,
  targetId: "target",
  files: ["wav", "mp3"].map((format) => ({ name: "vocals", format, path: `vocals.${format}` })),
};

it("[O11] a store that fills up between two files keeps neither, and says why", async () => {
  const { kept, blobs } = makeBlobs(() => new Refusal("STORAGE_FULL", "The server's disk is full"));
  const ports = { blobs, quota: noQuota, reports: reportsOf("processing") } as StoreOutputsPorts;
  const { signal } = new AbortController();
  await expect(storeOutputs(ports, { ...finished, signal, over: signal })).rejects.toMatchObject({
    code: "STORAGE_FULL",
  });
  expect([...kept]).toEqual([]);
});

it.each([
  { end: "is cancelled", status: "error", left: [] },
  { end: "goes on in another worker", status: "processing", left: ["outputs/task/target/vocals.wav"] },
  { end: "was completed by another worker", status: "completed", left: ["outputs/task/target/vocals.wav"] },
])("[Q2] [T11] a Task that $end between two files leaves $left.length", async ({ end, status, left }) => {
  const [stopping, over] = [new AbortController(), new AbortController()];
  const { kept, blobs } = makeBlobs(() => {
    (end === "goes on in another worker" ? stopping : over).abort();
    return new Error("given up");
  });
  const ports = { blobs, quota: noQuota, reports: reportsOf(status) } as StoreOutputsPorts;
  const signal = AbortSignal.any([stopping.signal, over.signal]);
  await expect(storeOutputs(ports, { ...finished, signal, over: over.signal })).rejects.toThrow("given up");
  expect([...kept]).toEqual(left);
});

it.each([
  { end: "is cancelled", status: "error", left: [] },
  { end: "goes on in another worker", status: "processing", left: ["out/task/vocals.wav"] },
  { end: "was completed by another worker", status: "completed", left: ["out/task/vocals.wav"] },
])(
  "[N7] [T11] a Task that $end during the delivery leaves $left.length objects",
  async ({ end, status, left }) => {
    const folder = await makeTempDir("store-outputs");
    const files = ["wav", "mp3"].map((format) => ({ name: "vocals", format, path: join(folder, format) }));
    for (const { path } of files) await writeFile(path, "stem");
    const [stopping, over] = [new AbortController(), new AbortController()];
    const objects = new Set<string>();
    const bucket: Pick<Bucket, "write" | "delete"> = {
      async write(key, content) {
        await buffer(content);
        if (key.endsWith("mp3")) (end === "goes on in another worker" ? stopping : over).abort();
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
      reports: reportsOf(status),
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
  },
);
