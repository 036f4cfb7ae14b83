import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { startSelfSignedServer } from "../../../test/support/self-signed-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { S3BucketOptions } from "../buckets/s3-bucket.ts";
import { openS3Blobs } from "./s3-blobs.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  server.addBucket("music");
});
afterAll(() => server.close());

const open = async (place: Partial<S3BucketOptions> = {}) =>
  openS3Blobs({
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
  });

describe("our own store in S3", () => {
  it("[T18] with credentials that are refused, or a certificate nobody trusts, is the operator's to mend", async () => {
    await using secure = await startSelfSignedServer();
    for (const place of [
      { credentials: { ...S3_KEY, secretAccessKey: "old" } },
      { endpoint: secure.origin },
    ]) {
      const blobs = await open(place);
      const fault = { code: "NOT_SET_UP", statusCode: 503, cause: { name: "BucketError" } };
      await expect(blobs.write("a", Readable.from("x"))).rejects.toMatchObject(fault);
      await expect(blobs.findSize("a")).rejects.toMatchObject(fault);
    }
  });

  it("[E9] that can't be reached is 503 for now", async () => {
    const blobs = await open({ endpoint: "http://127.0.0.1:1" });
    await expect(blobs.findSize("a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
