import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConflictError, NotFoundError, Stemwright, type Upload } from "../../packages/sdk/index.ts";
import { openOwnBlobs } from "../../packages/server/blobs/open-own-blobs.ts";
import { openPartialFiles } from "../../packages/server/blobs/open-partial-files.ts";
import { UNLIMITED_ROOM } from "../../packages/server/blobs/write-new-file.ts";
import { loadConfig } from "../../packages/server/config/load-config.ts";
import { sweep } from "../../packages/server/maintenance/sweeper.ts";
import { openRawConnection } from "../support/raw-connection.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { startTestApi, type TestApi } from "../support/test-api.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";

const MIB = 1024 ** 2;
const BUCKET = "uploads";
const FILE = randomBytes(13 * MIB);
let store: TestStore;
let environment: Record<string, string>;
let api: TestApi;
let client: Stemwright;
let folder: string;
beforeAll(async () => {
  store = await openTestStore();
  await store.addBucket(BUCKET);
  environment = {
    S3_BUCKET: BUCKET,
    S3_PREFIX: "house",
    S3_PRESIGNED_LINKS: "true",
    STORAGE_QUOTA_BYTES: String(200 * MIB),
    AWS_ENDPOINT_URL_S3: store.endpoint,
    AWS_REGION: store.region,
    AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
  };
  api = await startTestApi(environment);
  folder = await makeTempDir("bucket-uploads");
});
afterAll(async () => {
  await api.close();
  await store.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  const { key } = await api.addAccount();
  client = new Stemwright({ baseUrl: api.address, apiKey: key });
});

const expectWhole = async (id: string, content = FILE) => {
  const response = await client.assets.download(await client.assets.get(id));
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
};
const openParts = async () => {
  const config = loadConfig({ DATA_DIR: api.dataDir, ...environment });
  const own = await openOwnBlobs(config);
  return { config, own, partials: await openPartialFiles(config, { own, room: UNLIMITED_ROOM }) };
};
/** Keys in the bucket of what is unfinished. */
const countTails = async (id: string) => {
  const { own } = await openParts();
  const sizes = await Promise.all([1, 2, 3].map((part) => own.findSize(`uploads/${id}/${part}`)));
  return sizes.filter((size) => size !== undefined).length;
};

describe("a resumable upload into our own bucket", () => {
  it("[A8] keeps every byte of requests that end anywhere, and leaves only the object", async () => {
    const { id } = await client.uploads.create({ name: "a.wav", sizeBytes: FILE.length });
    let offset = 0;
    for (const end of [1, 3 * MIB, 5 * MIB, 5 * MIB + 7, 11 * MIB, FILE.length]) {
      expect(await client.uploads.append(id, offset, new Uint8Array(FILE.subarray(offset, end)))).toBe(end);
      offset = end;
    }
    await expectWhole(id);
    expect(await store.countUploads(BUCKET)).toBe(0);
    expect(await countTails(id)).toBe(0);
  });

  it("[A8] resumes with the next byte after the connection broke in the middle of a part", async () => {
    const { key } = await api.addAccount();
    client = new Stemwright({ baseUrl: api.address, apiKey: key });
    const { id } = await client.uploads.create({
      name: "song",
      sizeBytes: FILE.length,
      contentType: "audio/wav",
    });
    const broken = openRawConnection(
      api.address,
      `PATCH /uploads/${id} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${FILE.length}\r\n\r\n`,
    );
    broken.socket.write(FILE.subarray(0, 7 * MIB + 5));
    await expect.poll(async () => (await client.uploads.get(id)).offset, { timeout: 10_000 }).toBe(5 * MIB);
    broken.socket.end();
    await expect.poll(async () => (await client.uploads.get(id)).offset).toBe(7 * MIB + 5);
    await client.uploads.append(id, 7 * MIB + 5, new Uint8Array(FILE.subarray(7 * MIB + 5)));
    await expectWhole(id);
  });

  it("[A8] is completed later if the process died after the bucket had the object", async () => {
    const { id } = await client.uploads.create({ name: "a.wav", sizeBytes: 3 });
    await client.uploads.append(id, 0, new Uint8Array(FILE.subarray(0, 2)));
    const { partials } = await openParts();
    const { rows } = await api.database.pool.query("select multipart_id from uploads where id = $1", [id]);
    const file = { id, key: `assets/${id}/a.wav`, sizeBytes: 3, partBytes: 5 * MIB };
    const known = { ...file, multipartId: rows[0]?.multipart_id as string };
    const writer = await partials.open(known, 2);
    await writer.write(FILE.subarray(2, 3));
    expect(await writer.close()).toBe(3);
    await partials.finish(known);
    await api.database.pool.query("update uploads set stored_bytes = 3 where id = $1", [id]);
    await client.uploads.complete(id);
    await expectWhole(id, FILE.subarray(0, 3));
  });

  it("[R7] [A8] is aborted in the bucket when it is deleted or expires, and unknown when the bucket has lost it", async () => {
    const before = await store.countUploads(BUCKET);
    const start = async () => {
      const { id } = await client.uploads.create({ name: "a.wav", sizeBytes: FILE.length });
      await client.uploads.append(id, 0, new Uint8Array(FILE.subarray(0, 6 * MIB)));
      return id;
    };
    const [deleted, expired, lost] = [await start(), await start(), await start()];
    expect(await store.countUploads(BUCKET)).toBe(before + 3);
    await client.uploads.delete(deleted);
    const { pool, db } = api.database;
    await pool.query("update uploads set expires_at = now() - interval '1 second' where id = $1", [expired]);
    const { config, own, partials } = await openParts();
    expect(await sweep({ db, blobs: own, partials, config })).toMatchObject({ uploads: 1 });
    expect(await store.countUploads(BUCKET)).toBe(before + 1);
    for (const id of [deleted, expired]) expect(await countTails(id)).toBe(0);
    const { rows } = await pool.query("select multipart_id from uploads where id = $1", [lost]);
    const file = { id: lost, key: `assets/${lost}/a.wav`, sizeBytes: 0, partBytes: 1 };
    await partials.abort({ ...file, multipartId: rows[0]?.multipart_id as string });
    const rest = client.uploads.append(lost, 6 * MIB, new Uint8Array(FILE.subarray(6 * MIB)));
    await expect(rest).rejects.toBeInstanceOf(NotFoundError);
    expect(await client.uploads.list().toArray()).toEqual([]);
  });
});

const LARGE = randomBytes(33 * MIB);
const putPart = (upload: Upload, index: number, body?: Uint8Array) => {
  const part = upload.parts?.[index];
  if (!part) throw new Error(`no part ${index}`);
  const { url, start, size } = part;
  return fetch(url, { method: "PUT", body: new Uint8Array(body ?? LARGE.subarray(start, start + size)) });
};
const startDirect = (name = "film.mp4") => client.uploads.createDirect({ name, sizeBytes: LARGE.length });

describe("a direct upload", () => {
  it("[A10] is sent to the bucket in presigned parts, in any order, and made an asset by the API", async () => {
    const upload = await startDirect();
    expect(upload.parts?.map(({ number, start, size }) => [number, start, size])).toEqual([
      [1, 0, 16 * MIB],
      [2, 16 * MIB, 16 * MIB],
      [3, 32 * MIB, MIB],
    ]);
    expect((await putPart(upload, 2)).status).toBe(200);
    await expect(client.uploads.complete(upload.id)).rejects.toMatchObject({ code: "UPLOAD_INCOMPLETE" });
    expect((await putPart(upload, 0)).status).toBe(200);
    const rest = await client.uploads.get(upload.id);
    expect(rest).toMatchObject({ offset: 17 * MIB, parts: [{ number: 2 }] });
    expect((await putPart(rest, 0)).status).toBe(200);
    expect((await client.uploads.get(upload.id)).parts).toEqual([]);
    const [asset, again] = [
      await client.uploads.complete(upload.id),
      await client.uploads.complete(upload.id),
    ];
    expect(asset).toMatchObject({ id: upload.id, name: "film.mp4", format: "mp4", size: LARGE.length });
    expect(again.id).toBe(asset.id);
    await expectWhole(upload.id, LARGE);
  });

  it("[A10] takes no other part, length, object or method than what was signed, and nothing after its end", async () => {
    const upload = await startDirect();
    const [part] = upload.parts ?? [];
    const url = new URL(part?.url ?? "");
    for (const bytes of [MIB, 16 * MIB + 1])
      expect((await putPart(upload, 0, LARGE.subarray(0, bytes))).status).toBe(403);
    const other = new URL(url);
    other.searchParams.set("partNumber", "4");
    expect((await fetch(other, { method: "PUT", body: LARGE.subarray(0, 16 * MIB) })).status).toBe(403);
    expect((await fetch(url, { method: "GET" })).status).toBe(403);
    await expect(client.uploads.append(upload.id, 0, new Uint8Array(1))).rejects.toMatchObject({
      code: "REQUEST_INVALID",
    });
    await client.uploads.delete(upload.id);
    expect((await putPart(upload, 0)).status).toBe(404);
  });

  it("[P7] [A9] holds its length of the quota, needs a name that tells its format, and is its client's alone", async () => {
    const upload = await startDirect();
    const tooLarge = client.uploads.createDirect({ name: "b.wav", sizeBytes: 170 * MIB });
    await expect(tooLarge).rejects.toMatchObject({ code: "STORAGE_QUOTA_EXCEEDED" });
    await expect(startDirect("film")).rejects.toMatchObject({ code: "UPLOAD_FORMAT_UNSUPPORTED" });
    const { key } = await api.addAccount();
    const stranger = new Stemwright({ baseUrl: api.address, apiKey: key });
    await expect(stranger.uploads.get(upload.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.uploads.complete(upload.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("[I1] is started once for an Idempotency-Key", async () => {
    const start = (sizeBytes: number) =>
      client.uploads.createDirect({ name: "a.wav", sizeBytes }, { idempotencyKey: "once" });
    expect((await start(5)).id).toBe((await start(5)).id);
    await expect(start(6)).rejects.toBeInstanceOf(ConflictError);
    expect(await client.uploads.list().toArray()).toHaveLength(1);
  });

  it("[S30] is made by the SDK, with retries of parts that fail and of URLs that expired", async () => {
    const path = join(folder, "film.mp4");
    await writeFile(path, LARGE);
    const { key } = await api.addAccount();
    let faults = 3;
    const sent: string[] = [];
    const faulty: typeof fetch = async (url, init) => {
      if (init?.method !== "PUT") return await fetch(url, init);
      sent.push(new URL(String(url)).searchParams.get("partNumber") ?? "");
      faults -= 1;
      if (faults === 2) throw new TypeError("fetch failed");
      if (faults === 1) return new Response("<Error/>", { status: 403 });
      return await fetch(url, init);
    };
    client = new Stemwright({ baseUrl: api.address, apiKey: key, fetch: faulty });
    const progress: number[] = [];
    const { id } = await client.assets.upload(path, {
      direct: true,
      onProgress: ({ sentBytes }) => progress.push(sentBytes),
    });
    await expectWhole(id, LARGE);
    expect(progress.at(-1)).toBe(LARGE.length);
    expect(sent.length).toBeGreaterThan(3);
    expect(await client.uploads.list().toArray()).toEqual([]);
  });
});
