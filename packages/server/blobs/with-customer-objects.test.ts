import { readdir, readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { guardContent } from "../buckets/guard-content.ts";
import type { Blobs } from "../domain/ports.ts";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import { toCustomerBlobKey } from "../domain/storage/customer-object.ts";
import { makeOutputLinks } from "../domain/storage/output-links.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import { withCustomerObjects } from "./with-customer-objects.ts";

let tempDir: string;
beforeAll(async () => {
  tempDir = await makeTempDir("customer-objects");
});
afterAll(() => rm(tempDir, { recursive: true }));

const own = { sign: (blobKey: string) => `own:${blobKey}` };
const blobKey = toCustomerBlobKey("one", "out/vocals.wav");
const taskWith = (...blobKeys: string[]) => ({
  targets: [
    {
      id: "target",
      model: "vocals",
      formats: ["wav"],
      creditsPerMinute: 1,
      status: "completed" as const,
      progress: 1,
      output: blobKeys.map((key) => ({ name: "vocals", format: "wav", blobKey: key, sizeBytes: 5 })),
    },
  ],
});

function makePorts(bucket: Partial<Bucket>): Pick<StoragePorts, "integrations" | "buckets"> {
  return {
    integrations: {
      findIntegration: async (_: unknown, id: string) => (id === "one" ? {} : undefined),
    } as unknown as StoragePorts["integrations"],
    buckets: { open: async () => bucket as Bucket },
  };
}

describe("links of outputs", () => {
  it("[N8] are presigned by the customer's storage, and our own for outputs in our store", async () => {
    const ports = makePorts({ signRead: async (key, seconds) => `theirs:${key}:${seconds}` });
    const signer = await makeOutputLinks({ ports, own, onFailure: () => {} }).prepare([
      taskWith(blobKey, "outputs/t/x.wav"),
    ]);
    expect(signer.sign(blobKey)).toBe("theirs:out/vocals.wav:3600");
    expect(signer.sign("outputs/t/x.wav")).toBe("own:outputs/t/x.wav");
  });

  it("[N8] are our own if the storage can't presign, fails, or the integration is gone", async () => {
    const failures: unknown[] = [];
    const linkOf = async (signRead: Bucket["signRead"], key = blobKey) => {
      const links = makeOutputLinks({
        ports: makePorts({ signRead }),
        own,
        onFailure: (error) => failures.push(error),
      });
      return (await links.prepare([taskWith(key)])).sign(key);
    };
    expect(await linkOf(async () => undefined)).toBe(`own:${blobKey}`);
    const gone = toCustomerBlobKey("two", "x.wav");
    expect(await linkOf(async () => "theirs", gone)).toBe(`own:${gone}`);
    expect(failures).toEqual([]);
    const refused = new BucketError("access-denied", "the role is gone");
    expect(await linkOf(() => Promise.reject(refused))).toBe(`own:${blobKey}`);
    expect(failures).toEqual([refused]);
  });

  it("[F5] are presigned by our own bucket if configured, and the service's if that fails", async () => {
    const failures: unknown[] = [];
    const presignOwn = async (key: string) => {
      if (key.includes("broken")) throw new Error("no credentials");
      return `bucket:${key}`;
    };
    const ports = makePorts({ signRead: async () => "theirs" });
    const onFailure = (error: unknown) => failures.push(error);
    const links = makeOutputLinks({ ports, own, presignOwn, onFailure });
    const keys = ["outputs/t/x.wav", "outputs/t/broken.wav", blobKey];
    const signer = await links.prepare([taskWith(...keys)]);
    expect(keys.map(signer.sign)).toEqual(["bucket:outputs/t/x.wav", "own:outputs/t/broken.wav", "theirs"]);
    expect(failures).toHaveLength(1);
  });

  it("[N8] look a bucket up once, however many there are", async () => {
    const ports = makePorts({ signRead: async (key) => `theirs:${key}` });
    const findIntegration = vi.spyOn(ports.integrations, "findIntegration");
    const keys = Array.from({ length: 20 }, (_, index) => toCustomerBlobKey("one", `out/${index}.wav`));
    const gone = toCustomerBlobKey("two", "x.wav");
    const links = makeOutputLinks({ ports, own, onFailure: () => {} });
    const signer = await links.prepare([taskWith(...keys), taskWith(...keys, gone, gone)]);
    expect(keys.map(signer.sign)).toEqual(keys.map((_, index) => `theirs:out/${index}.wav`));
    expect(findIntegration.mock.calls.map(([, id]) => id)).toEqual(["one", "two"]);
    await links.prepare([taskWith(blobKey)]);
    expect(findIntegration).toHaveBeenCalledTimes(3);
  });

  it("[N8] [F3] of our own stream the customer's object", async () => {
    const ports = makePorts({
      findSize: async () => 5,
      read: async (key) => ({
        content: Readable.from([`${key} `, "sound"]),
        sizeBytes: 5,
        version: undefined,
      }),
    });
    const kept = { findSize: async () => 1, read: async () => Readable.from(["kept"]) } as unknown as Blobs;
    const blobs = withCustomerObjects(kept, ports, { tempDir, maxBytes: 5 });
    expect(await blobs.findSize(blobKey)).toBe(5);
    expect(await text(await blobs.read(blobKey))).toBe("out/vocals.wav sound");
    expect(await text(await blobs.read("outputs/t/x.wav"))).toBe("kept");
    expect(await blobs.findSize(toCustomerBlobKey("two", "x.wav"))).toBeUndefined();
  });
});

describe("a customer's object as a local file", () => {
  const open = (read: Bucket["read"], maxBytes = 5) => {
    const kept = { withLocalFile: async (_, use) => await use("kept") } as Partial<Blobs> as Blobs;
    return withCustomerObjects(kept, makePorts({ read }), { tempDir, maxBytes });
  };
  const holding = (content: string) => async () => ({
    content: Readable.from([content]),
    sizeBytes: content.length,
    version: undefined,
  });
  const readText = (path: string) => readFile(path, "utf8");

  it("[J8] is a copy that is removed afterwards; files of our store are used as they are", async () => {
    const blobs = open(holding("sound"));
    expect(await blobs.withLocalFile(blobKey, readText)).toBe("sound");
    expect(await blobs.withLocalFile("outputs/t/x.wav", async (path) => path)).toBe("kept");
    await expect(blobs.withLocalFile(blobKey, () => Promise.reject(new Error("broken")))).rejects.toThrow(
      "broken",
    );
    expect(await readdir(tempDir)).toEqual([]);
  });

  it("[J8] [E9] a full disk or an object that is too large is not the bucket's fault, while it is being sent", async () => {
    const endless = () =>
      Readable.from(
        (async function* () {
          for (;;) yield Buffer.alloc(64 * 1024);
        })(),
      );
    const flowing = (maxBytes = 5) =>
      open(async () => ({ content: guardContent(endless()), sizeBytes: 5, version: undefined }), maxBytes);
    const large = flowing().withLocalFile(blobKey, readText);
    await expect(large).rejects.toMatchObject({ name: "Refusal", code: "MEDIA_TOO_LARGE" });
    const unwritable = flowing(1e9).copyTo(blobKey, "/no/such/folder");
    await expect(unwritable).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readdir(tempDir)).toEqual([]);
  });

  it("[J8] [N5] is refused beyond the limit of uploads, and if its integration is gone", async () => {
    const refusal = { name: "Refusal", code: "MEDIA_TOO_LARGE" };
    await expect(open(holding("sounds")).withLocalFile(blobKey, readText)).rejects.toMatchObject(refusal);
    const gone = open(holding("sound")).withLocalFile(toCustomerBlobKey("two", "x.wav"), readText);
    await expect(gone).rejects.toThrow(BucketError);
    expect(await readdir(tempDir)).toEqual([]);
  });
});
