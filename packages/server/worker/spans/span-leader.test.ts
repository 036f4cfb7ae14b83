import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { openFileBlobs } from "../../blobs/file-blobs.ts";
import type { SpanOffers } from "../../domain/spans/span-record.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { openSpanLeader, type SpanLeaderPorts } from "./span-leader.ts";

it.each([
  { kind: "an asset", task: { assetId: "a" }, inputKey: "assets/a/song.wav" },
  {
    kind: "one of our own links",
    task: { url: "https://own" },
    blobKey: "outputs/o/x",
    inputKey: "outputs/o/x",
  },
  { kind: "a URL", task: { url: "https://elsewhere" }, inputKey: "outputs/task/spans/input" },
])("[Q14] helpers read $kind from the store", async ({ task, blobKey, inputKey }) => {
  const taskDir = await makeTempDir("leader");
  const blobs = await openFileBlobs(join(taskDir, "blobs"));
  await writeFile(join(taskDir, "input"), "sound");
  const offered = Promise.withResolvers<string>();
  const offers: Partial<SpanOffers> = {
    hasHelpers: async () => true,
    offer: async (_run, offer) => offered.resolve(offer.inputKey),
    list: async () => [],
  };
  const leader = openSpanLeader(
    {
      blobs,
      spans: { offers, fromSeconds: 900, workerId: "w" },
      assets: { findAsset: async () => ({ blobKey: "assets/a/song.wav" }) },
      sources: { listSources: async () => [{ blobKey }] },
      log: { info: () => {}, warn: () => {} },
    } as unknown as SpanLeaderPorts,
    {
      task: { id: "task", clientId: "c", ...task } as unknown as TaskRecord,
      run: { taskId: "task", token: "t" },
      taskDir,
      signal: new AbortController().signal,
    },
  );
  const part = { key: "net/plain", passes: [], cutFrames: [1, 2], finishedSpans: 0 };
  leader?.hooks.offer([part], () => {});
  expect(await offered.promise).toBe(inputKey);
  await leader?.close();
  const isShared = (await blobs.findSize(inputKey)) !== undefined;
  expect(isShared).toBe(task.url === "https://elsewhere");
  expect(await readFile(join(taskDir, "input"), "utf8")).toBe("sound");
});
