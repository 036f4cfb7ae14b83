import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { openS3Blobs } from "../blobs/s3-blobs.ts";
import { withOutages } from "../blobs/with-outages.ts";
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
