import { generateKeyPairSync } from "node:crypto";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { S3_KEY, S3_REGION } from "../../../test/support/s3-server.ts";
import { startSilentServer } from "../../../test/support/silent-server.ts";
import type { Bucket } from "../domain/storage/bucket.ts";
import { verifyStorage } from "../domain/storage/verify-storage.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { openAzureBucket } from "./azure-bucket.ts";
import { openGcsBucket } from "./gcs-bucket.ts";
import { openS3Bucket } from "./s3-bucket.ts";

const GIVE_UP_MS = 300;
const guard = makeAddressGuard(["127.0.0.1"]);
let silent: Awaited<ReturnType<typeof startSilentServer>>;
let endpoint: string;

beforeEach(async () => {
  silent = await startSilentServer();
  endpoint = `http://127.0.0.1:${silent.port}`;
});
afterEach(() => silent[Symbol.asyncDispose]());
afterAll(() => guard.close());

const BUCKETS: Record<string, () => Bucket> = {
  S3: () =>
    openS3Bucket({
      bucket: "music",
      region: S3_REGION,
      endpoint,
      forcePathStyle: true,
      credentials: S3_KEY,
      agents: guard.agents,
    }),
  Azure: () => openAzureBucket("music", { endpoint, accountName: "stems", accountKey: "a2V5" }, guard.agents),
  Google: () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const private_key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const serviceAccountKey = { client_email: "stems@project.example", private_key };
    return openGcsBucket("music", { serviceAccountKey }, { apiEndpoint: endpoint });
  },
};

describe.each(Object.entries(BUCKETS))(
  "a storage of %s that takes connections and never answers",
  (_, open) => {
    it("[N4] fails the verification at its time limit", async () => {
      const giveUp = AbortSignal.timeout(GIVE_UP_MS);
      using timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(giveUp);
      const startedMs = performance.now();
      const { ok, steps } = await verifyStorage(async () => open());
      expect(performance.now() - startedMs).toBeLessThan(GIVE_UP_MS + 2000);
      expect(timeout).toHaveBeenCalledWith(20_000);
      const message = "No answer within 20 s";
      expect({ ok, steps }).toEqual({
        ok: false,
        steps: [
          { step: "list", status: "failed", message },
          { step: "write", status: "failed", message },
          { step: "read", status: "skipped" },
          { step: "delete", status: "skipped" },
        ],
      });
    });

    it("[N4] does not block an aborted listing", async () => {
      const listing = Readable.from(open().list("x", { signal: AbortSignal.timeout(GIVE_UP_MS) })).toArray();
      await expect(listing).rejects.toMatchObject({ name: "BucketError", kind: "failed" });
    });
  },
);

it.each(["S3", "Azure"])("[N4] a delete at %s that is given up ends its request", async (name) => {
  const deleting = BUCKETS[name]?.().delete("x", { signal: AbortSignal.timeout(GIVE_UP_MS) });
  await expect(deleting).rejects.toMatchObject({ name: "BucketError", kind: "failed" });
});
