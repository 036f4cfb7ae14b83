import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTone, toWav } from "../../../test/support/audio.ts";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { openS3Blobs } from "../blobs/s3-blobs.ts";
import { withOutages } from "../blobs/with-outages.ts";
import type { Blobs } from "../domain/ports.ts";
import { BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { toCustomerBlobKey } from "../domain/storage/customer-object.ts";
import { makeMediaProbe } from "./make-media-probe.ts";

const look = (blobs: Blobs, blobKey = KEY, clientId = "ann") =>
  makeMediaProbe(blobs, { probesAtOnce: 2 }).look({ blobKey, clientId });

let folder: string;
beforeEach(async () => {
  folder = await makeTempDir("media-looker");
});
afterEach(() => rm(folder, { recursive: true }));

const KEY = "assets/one/song.wav";
const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
const gone = {
  name: "Refusal",
  code: "MEDIA_UNREADABLE",
  message: "The asset's file is no longer kept; upload it again",
};

it("[T6] a file that is gone is refused without its path, and a folder that is gone is an outage", async () => {
  const root = join(folder, "blobs");
  const blobs = withOutages(await openFileBlobs(root));
  await blobs.write(KEY, Readable.from([song]));
  await rename(root, `${root}-away`);
  await expect(look(blobs)).rejects.toMatchObject({ name: "StoreOutage" });
  await rename(`${root}-away`, root);
  expect(await look(blobs)).toMatchObject({ isReadable: true, sampleRateHz: 8000 });
  await blobs.delete(KEY);
  await expect(look(blobs)).rejects.toMatchObject(gone);
});

it("[T6] [E9] the same holds for a bucket", async () => {
  const server = await startS3Server();
  const bucket = server.addBucket("music");
  const place = { region: S3_REGION, endpoint: server.endpoint, forcePathStyle: true, credentials: S3_KEY };
  const open = async (name: string) =>
    withOutages(
      await openS3Blobs({ place: { ...place, bucket: name }, prefix: "", tempDir: join(folder, "partial") }),
    );
  const blobs = await open("music");
  await blobs.write(KEY, Readable.from([song]));
  expect(await look(blobs)).toMatchObject({ isReadable: true });
  bucket.objects.delete(KEY);
  await expect(look(blobs)).rejects.toMatchObject(gone);
  await expect(look(await open("lost"))).rejects.toMatchObject({ name: "StoreOutage" });
  await server.close();
  await expect(look(blobs)).rejects.toMatchObject({ name: "StoreOutage" });
});

it.each([
  { kind: "access-denied", isTransient: false, code: "MEDIA_UNREADABLE" },
  { kind: "not-set-up", isTransient: false, code: "NOT_SET_UP" },
  { kind: "failed", isTransient: true, code: "UNAVAILABLE" },
] as const)(
  "[T6] a client's bucket that says $kind is the refusal $code",
  async ({ kind, isTransient, code }) => {
    const fail = (bad: BucketErrorKind) => Promise.reject(new BucketError(bad, "so it was", { isTransient }));
    const blobs = { withLocalFile: () => fail(kind) } as Partial<Blobs> as Blobs;
    const looking = look(blobs, toCustomerBlobKey("one", "song.wav"));
    const message = expect.stringContaining("The asset can't be read from its bucket: so it was") as string;
    await expect(looking).rejects.toMatchObject({ name: "Refusal", code, message });
  },
);

it("[E10] copying from a client's bucket delays neither other files nor all other clients' buckets", async () => {
  const begun: string[] = [];
  const held = Promise.withResolvers<never>();
  const fault = new BucketError("not-found", "so it was");
  const withLocalFile = (blobKey: string) => {
    begun.push(blobKey);
    return blobKey.startsWith("assets/") ? Promise.reject(new Error("not here")) : held.promise;
  };
  const blobs = { withLocalFile, check: async () => undefined } as Partial<Blobs> as Blobs;
  const { look: lookAt } = makeMediaProbe(blobs, { probesAtOnce: 2 });
  const [first, second, third] = ["one", "two", "three"].map((id) => toCustomerBlobKey(id, "slow.wav"));
  const slow = [
    lookAt({ blobKey: first ?? "", clientId: "ann" }),
    lookAt({ blobKey: second ?? "", clientId: "ann" }),
    lookAt({ blobKey: third ?? "", clientId: "bob" }),
  ];
  const settled = Promise.allSettled(slow);
  await expect(lookAt({ blobKey: KEY, clientId: "eve" })).rejects.toThrow("not here");
  expect(begun).toEqual([first, third, KEY]);
  held.reject(fault);
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(begun).toContain(second);
});

it("[E10] one client's probes leave room for another's, however many it asks for", async () => {
  const held = new Map<string, PromiseWithResolvers<never>>();
  const begun: string[] = [];
  const withLocalFile = (blobKey: string) => {
    begun.push(blobKey);
    const work = Promise.withResolvers<never>();
    held.set(blobKey, work);
    return work.promise;
  };
  const blobs = { withLocalFile, check: async () => undefined } as Partial<Blobs> as Blobs;
  const { look: lookAt } = makeMediaProbe(blobs, { probesAtOnce: 2 });
  const ask = (clientId: string, name: string) =>
    lookAt({ blobKey: `assets/${name}`, clientId }).catch((error: unknown) => error);
  const hostile = Array.from({ length: 100 }, (_, n) => ask("eve", `eve-${n}`));
  const honest = ["a", "b", "c"].map((name) => ask("ann", `ann-${name}`));
  const end = async (blobKey: string) => {
    held.get(blobKey)?.reject(new Error("done"));
    await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  // Each has half of the places.
  expect(begun).toEqual(["assets/eve-0", "assets/ann-a"]);
  await end("assets/ann-a");
  await end("assets/ann-b");
  await end("assets/ann-c");
  expect(begun.slice(2)).toEqual(["assets/ann-b", "assets/ann-c"]);
  expect(await Promise.all(honest)).toEqual(honest.map(() => expect.objectContaining({ message: "done" })));
  // One held, half of the room to wait in; the rest were refused at once.
  for (let n = 0; n <= 16; n++) await end(`assets/eve-${n}`);
  const ends = (await Promise.all(hostile)).map((error) => (error as Error).message);
  expect(ends.filter((message) => message === "done")).toHaveLength(17);
  expect(ends.filter((message) => message.includes("overloaded"))).toHaveLength(83);
});
