import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { startSelfSignedServer } from "../../../test/support/self-signed-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { S3BucketOptions } from "../buckets/s3-bucket.ts";
import type { Blobs } from "../domain/ports.ts";
import { isOutOfReach } from "../faults/is-out-of-reach.ts";
import { openFileBlobs } from "./file-blobs.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import { withOutages } from "./with-outages.ts";

let server: S3Server;
let bucket: ReturnType<S3Server["addBucket"]>;
beforeAll(async () => {
  server = await startS3Server();
  bucket = server.addBucket("music");
});
afterAll(() => server.close());

const open = async (place: Partial<S3BucketOptions> = {}) =>
  withOutages(
    await openS3Blobs({
      place: {
        bucket: "music",
        region: S3_REGION,
        endpoint: server.endpoint,
        forcePathStyle: true,
        credentials: S3_KEY,
        ...place,
      },
      prefix: "",
      tempDir: await makeTempDir("s3-blobs"),
    }),
  );

describe("our own store in S3", () => {
  it("[T18] [E9] with refused credentials or an untrusted certificate reports an outage, and what to do about it", async () => {
    await using secure = await startSelfSignedServer();
    for (const { place, says } of [
      { place: { credentials: { ...S3_KEY, secretAccessKey: "old" } }, says: /SignatureDoesNotMatch/ },
      { place: { endpoint: secure.origin }, says: /NODE_EXTRA_CA_CERTS/ },
      { place: { endpoint: "http://127.0.0.1:1" }, says: /ECONNREFUSED/ },
    ]) {
      const blobs = await open(place);
      const failure = await blobs.write("a", Readable.from("x")).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "StoreOutage", message: expect.stringMatching(says) });
      expect(isOutOfReach(failure)).toBe(true);
      await expect(blobs.findSize("a")).rejects.toMatchObject({ name: "StoreOutage" });
      await expect(blobs.findBytes("a")).rejects.toMatchObject({ name: "StoreOutage" });
    }
  });

  it("[PV3] a small file is read from a folder or a bucket, and a missing one is undefined", async () => {
    const folder = await makeTempDir("blobs");
    for (const blobs of [await open(), withOutages(await openFileBlobs(folder))]) {
      await blobs.write("outputs/task/previews/0", Readable.from(["some", "bytes"]));
      expect((await blobs.findBytes("outputs/task/previews/0"))?.toString()).toBe("somebytes");
      expect(await blobs.findBytes("outputs/task/previews/1")).toBeUndefined();
      await blobs.delete("outputs/task");
    }
    await rm(folder, { recursive: true });
  });

  const folders = Array.from({ length: 40 }, (_, index) => `outputs/task-${index}`);
  async function fill(blobs: Blobs) {
    const writes = folders.flatMap((folder) => [
      blobs.write(`${folder}/target/vocals.wav`, Readable.from("x")),
      blobs.write(`${folder}/previews/0`, Readable.from("x")),
    ]);
    await Promise.all(writes);
    // Shares a prefix with one of them, but is not one of its files.
    await blobs.write("outputs/task-10b", Readable.from("x"));
    server.requests.length = 0;
  }
  const countDeletions = () => server.requests.filter((call) => /^(POST|DELETE) /.test(call)).length;

  it("[R3] files of many Tasks are deleted in few requests", async () => {
    const blobs = await open();
    await fill(blobs);
    await Promise.all(folders.map((folder) => blobs.delete(folder)));
    expect([...bucket.objects.keys()]).toEqual(["outputs/task-10b"]);
    expect(countDeletions()).toBeLessThan(10);
  });

  it("[R4] a failed deletion is reported only to its own caller", async () => {
    const blobs = await open();
    await fill(blobs);
    server.faults.keepWith = "task-7/";
    const outcomes = await Promise.allSettled(folders.map((folder) => blobs.delete(folder)));
    delete server.faults.keepWith;
    expect(outcomes.flatMap(({ status }, index) => (status === "rejected" ? index : []))).toEqual([7]);
    expect([...bucket.objects.keys()].filter((key) => key.includes("task-7/"))).toHaveLength(2);
    await blobs.delete("outputs/task-7");
    expect([...bucket.objects.keys()]).toEqual(["outputs/task-10b"]);
  });

  it("[R3] files are deleted one by one if the store has no batch deletion", async () => {
    const blobs = await open();
    await fill(blobs);
    server.faults.knowsNoDeletionOfMany = true;
    await Promise.all(folders.map((folder) => blobs.delete(folder)));
    delete server.faults.knowsNoDeletionOfMany;
    expect([...bucket.objects.keys()]).toEqual(["outputs/task-10b"]);
  });
});
