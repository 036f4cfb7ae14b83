import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { withCustomerObjects } from "../../blobs/with-customer-objects.ts";
import type { Blobs } from "../../domain/ports.ts";
import { type Bucket, BucketError, type BucketErrorKind } from "../../domain/storage/bucket.ts";
import { toCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { StoragePorts } from "../../domain/storage/storage-ports.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { type FetchFilePorts, fetchInput, findStoredInput } from "./fetch-input.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-input-"));
const path = join(folder, "input");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(path, { force: true }));

const CONTENT = "a song";
const holding =
  (content: string): Bucket["read"] =>
  async (key) => ({
    content: Readable.from([Buffer.from(`${key} ${content}`)]),
    sizeBytes: key.length + 1 + content.length,
    version: "1",
  });

/** A worker's ports; the Task's input is an output in the bucket of integration "one". */
function makePorts(
  read: Bucket["read"],
  { blobKey = toCustomerBlobKey("one", "out/vocals.wav") } = {},
): FetchFilePorts {
  const refuse = () => Promise.reject(new BucketError("access-denied", "listing is not allowed"));
  const storage = {
    integrations: {
      findIntegration: async (_: unknown, id: string) =>
        id === "one" ? { storageName: "music" } : undefined,
    } as unknown as StoragePorts["integrations"],
    buckets: { open: async () => ({ read, findSize: refuse }) as Partial<Bucket> as Bucket },
  };
  const own = { findSize: async () => 6, check: async () => undefined } as Partial<Blobs> as Blobs;
  return {
    ...storage,
    blobs: withCustomerObjects(own, storage, { tempDir: folder, maxBytes: 100 }),
    assets: { findAsset: async () => ({ blobKey }) },
    maxBytes: 100,
    fetchDelaysMs: [1, 1],
  } as unknown as FetchFilePorts;
}

const task = { id: "task", clientId: "client", assetId: "output" } as TaskRecord;
const fetchFrom = (ports: FetchFilePorts) =>
  fetchInput(ports, task, path, { signal: AbortSignal.timeout(10_000), report: () => {} });
const failing = (kind: BucketErrorKind, isTransient = false) =>
  Promise.reject(new BucketError(kind, "so it was", { isTransient }));

describe("an input that is an output in a client's bucket", () => {
  it("[J8] [N5] is read from the bucket, again after a temporary failure", async () => {
    let reads = 0;
    await fetchFrom(
      makePorts((key, options) => {
        reads += 1;
        return reads === 1 ? failing("failed", true) : holding(CONTENT)(key, options);
      }),
    );
    expect(readFileSync(path, "utf8")).toBe(`out/vocals.wav ${CONTENT}`);
  });

  it.each([
    { kind: "not-found", code: 1004 },
    { kind: "access-denied", code: 1005 },
    { kind: "failed", code: 1006 },
    { kind: "not-set-up", code: 9003 },
  ] as const)("[N5] $kind is the target error $code", async ({ kind, code }) => {
    const reason = expect.stringContaining("so it was") as string;
    await expect(fetchFrom(makePorts(() => failing(kind)))).rejects.toMatchObject({ code, message: reason });
  });

  it("[N5] [N11] fails if it is too large, or its integration was deleted", async () => {
    await expect(fetchFrom(makePorts(holding("la".repeat(50))))).rejects.toMatchObject({ code: 1007 });
    const gone = makePorts(holding(CONTENT), { blobKey: toCustomerBlobKey("two", "x.wav") });
    await expect(fetchFrom(gone)).rejects.toMatchObject({ code: 1005 });
    expect(existsSync(path)).toBe(false);
  });

  it("[Q14] is no file that helping workers could read: they get a copy", async () => {
    expect(await findStoredInput(makePorts(holding(CONTENT)), task)).toBeUndefined();
    const own = makePorts(holding(CONTENT), { blobKey: "assets/one/song.wav" });
    expect(await findStoredInput(own, task)).toBe("assets/one/song.wav");
  });
});
