import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { startSelfSignedServer } from "../../../test/support/self-signed-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { S3BucketOptions } from "../buckets/s3-bucket.ts";
import { isOutOfReach } from "../is-out-of-reach.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import { withOutages } from "./with-outages.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  server.addBucket("music");
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
  it("[T18] [E9] with credentials that are refused, or a certificate nobody trusts, is out of order, with what to do about it", async () => {
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
    }
  });
});
