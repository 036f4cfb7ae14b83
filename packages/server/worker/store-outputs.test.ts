import { ApiError } from "@stemwright/contract";
import { expect, it } from "vitest";
import type { Blobs } from "../domain/ports.ts";
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
  });
  await expect(storing).rejects.toMatchObject({ code: 3002 });
  expect([...kept]).toEqual([]);
});
