import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { openS3Blobs } from "../blobs/s3-blobs.ts";
import { withOutages } from "../blobs/with-outages.ts";
import type { Blobs } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { toCustomerBlobKey } from "../domain/storage/customer-object.ts";
import { makeTranscriptReader } from "./transcript-reader.ts";

it("[Z5] an empty transcript, a missing one and a lost store differ, in a folder or a bucket", async () => {
  const folder = await makeTempDir("transcript-reader");
  const server = await startS3Server();
  server.addBucket("music");
  const place = { region: S3_REGION, endpoint: server.endpoint, forcePathStyle: true, credentials: S3_KEY };
  const openBucket = (bucket: string) =>
    openS3Blobs({ place: { ...place, bucket }, prefix: "", tempDir: join(folder, "partial") });
  for (const own of [await openFileBlobs(join(folder, "blobs")), await openBucket("music")]) {
    const blobs = withOutages(own);
    const { findFault } = makeTranscriptReader(blobs);
    await blobs.write("outputs/a/b/words.txt", Readable.from(["la la"]));
    await blobs.write("outputs/a/b/none.txt", Readable.from([]));
    expect(await findFault("outputs/a/b/words.txt")).toBeUndefined();
    expect(await findFault("outputs/a/b/none.txt")).toMatch(/^The transcript is empty/);
    expect(await findFault("outputs/a/b/gone.txt")).toContain("no longer kept");
  }
  const lost = makeTranscriptReader(withOutages(await openBucket("lost")));
  await expect(lost.findFault("outputs/a/b/words.txt")).rejects.toMatchObject({ name: "StoreOutage" });
  await server.close();
  await rm(folder, { recursive: true });
});

it("[Z5] of one in a client's bucket, the fault says what the bucket said, and a temporary failure or our own is no fault", async () => {
  const key = toCustomerBlobKey("one", "words.txt");
  const findFault = (read: Blobs["read"]) =>
    makeTranscriptReader({ read } as Partial<Blobs> as Blobs).findFault(key);
  const failing = (isTransient: boolean) =>
    findFault(() => Promise.reject(new BucketError("failed", "so it was", { isTransient })));
  expect(await findFault(async () => Readable.from([Buffer.from("la la")]))).toBeUndefined();
  expect(await findFault(async () => Readable.from([]))).toMatch(/^The transcript is empty/);
  expect(await failing(false)).toBe("The transcript can't be read from its bucket: so it was");
  await expect(failing(true)).rejects.toMatchObject({ name: "Refusal", code: "UNAVAILABLE" });
  const notSetUp = findFault(() => Promise.reject(new BucketError("not-set-up", "no credentials")));
  await expect(notSetUp).rejects.toMatchObject({ name: "Refusal", code: "NOT_SET_UP" });
  const outage = new Error("timeout exceeded when trying to connect");
  await expect(findFault(() => Promise.reject(outage))).rejects.toBe(outage);
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1 << 20, "la ");
    })(),
  );
  expect(await findFault(async () => endless)).toContain("larger than");
});
