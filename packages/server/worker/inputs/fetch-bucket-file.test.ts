import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { type Bucket, BucketError, type BucketRead } from "../../domain/storage/bucket.ts";
import type { StoragePorts } from "../../domain/storage/storage-ports.ts";
import { fetchBucketFile } from "./fetch-bucket-file.ts";

const body = randomBytes(500_000);
const origin = { scope: { clientId: "client" }, integrationId: "one", key: "song.wav" };
let path: string;
let reads: BucketRead[];
let progress: number[];
beforeEach(async () => {
  path = join(await makeTempDir("bucket-input"), "input");
  reads = [];
  progress = [];
});

/** Yields this many bytes of each read, then breaks. */
async function* cutShort(content: Buffer, bytes: number) {
  for (let at = 0; at < Math.min(bytes, content.length); at += 10_000)
    yield content.subarray(at, Math.min(at + 10_000, bytes));
  if (bytes < content.length) throw new Error("the connection broke");
}

function fetchFrom(bytesEachTime: number, read?: Bucket["read"]) {
  const bucket: Pick<Bucket, "read"> = {
    read:
      read ??
      (async (_, options = {}) => {
        reads.push(options);
        const content = Readable.from(cutShort(body.subarray(options.startByte ?? 0), bytesEachTime));
        return { content, sizeBytes: body.length, version: "v1" };
      }),
  };
  const ports = {
    integrations: { findIntegration: async () => ({ storageName: "music" }) },
    buckets: { open: async () => bucket },
  } as unknown as Pick<StoragePorts, "integrations" | "buckets">;
  return fetchBucketFile(ports, origin, {
    path,
    what: "input",
    maxBytes: 1_000_000,
    delaysMs: [1, 2, 3],
    signal: new AbortController().signal,
    onProgress: (fraction) => progress.push(fraction),
  });
}

describe("an input in a bucket", () => {
  it("[N5] [T9] resumes where it broke, with the same content, and reports progress", async () => {
    await fetchFrom(200_000);
    expect((await readFile(path)).equals(body)).toBe(true);
    expect(reads.length).toBeGreaterThanOrEqual(3);
    expect(reads.slice(1).every(({ startByte = 0, version }) => startByte > 0 && version === "v1")).toBe(
      true,
    );
    expect(progress.at(-1)).toBe(1);
    expect(progress.every((fraction) => fraction > 0 && fraction <= 1)).toBe(true);
  });

  it("[N5] fails if nothing more arrives, or more than announced", async () => {
    await expect(fetchFrom(0)).rejects.toMatchObject({ code: 1006 });
    const tooMuch = fetchFrom(0, async () => ({
      content: Readable.from([body]),
      sizeBytes: 10,
      version: "v1",
    }));
    await expect(tooMuch).rejects.toMatchObject({ code: 1006 });
  });

  it.each([
    { kind: "not-found", code: 1004 },
    { kind: "access-denied", code: 1005 },
    { kind: "failed", code: 1006 },
  ] as const)("[N5] $kind is the target error $code", async ({ kind, code }) => {
    const failing = fetchFrom(0, () => Promise.reject(new BucketError(kind, "so it was")));
    await expect(failing).rejects.toMatchObject({
      code,
      message: expect.stringContaining("so it was") as string,
    });
  });
});
