import { randomBytes } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { asset as assetSchema, type Client, type Upload, upload as uploadSchema } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openRawConnection } from "../../../../../test/support/raw-connection.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { openFileBlobs } from "../../../blobs/file-blobs.ts";
import { openFilePartials } from "../../../blobs/file-partials.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { makeLog } from "../../../log/make-log.ts";
import { sweep } from "../../../maintenance/sweeper.ts";
import { startApi } from "../../../start/start-api.ts";

const MAX_BYTES = 3_000_000;
const MAX_UNFINISHED_BYTES = 4_000_000;
const environment = {
  UPLOAD_MAX_BYTES: String(MAX_BYTES),
  UNFINISHED_UPLOADS_MAX_BYTES: String(MAX_UNFINISHED_BYTES),
  STORAGE_QUOTA_BYTES: "6000000",
  REQUEST_TIMEOUT_SECONDS: "60",
};
const FILE = randomBytes(1_000_000);
let api: TestApi;
let admin: TestAccount;
let account: TestAccount;
beforeAll(async () => {
  api = await startTestApi(environment);
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
});

const toMetadata = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
    .join(",");
const TUS = { "tus-resumable": "1.0.0" };
const BYTES = { ...TUS, "content-type": "application/offset+octet-stream" };

type Options = { key?: string; headers?: Record<string, string>; base?: string };
const create = (
  sizeBytes: number | string,
  { key = account.key, headers = {} }: Options = {},
  name = "a.wav",
) =>
  api.call("/uploads", {
    method: "POST",
    key,
    headers: {
      ...TUS,
      "upload-length": String(sizeBytes),
      "upload-metadata": toMetadata({ filename: name }),
      ...headers,
    },
  });
const start = async (sizeBytes = FILE.length, name = "a.wav") => {
  const response = await create(sizeBytes, {}, name);
  expect(response.status).toBe(201);
  const id = response.headers.get("location")?.split("/").at(-1) ?? "";
  expect(response.headers.get("location")).toBe(`${api.address}/uploads/${id}`);
  return id;
};
const send = (id: string, offset: number | string, body: Uint8Array, options: Options = {}) =>
  api.call(new URL(`/uploads/${id}`, options.base ?? api.address).href, {
    method: "PATCH",
    key: options.key ?? account.key,
    headers: { ...BYTES, "upload-offset": String(offset), ...options.headers },
    body: new Uint8Array(body),
  });
const ask = async (id: string, { key = account.key, base = api.address }: Options = {}) => {
  const response = await api.call(new URL(`/uploads/${id}`, base).href, {
    method: "HEAD",
    key,
    headers: TUS,
  });
  return [response.status, Number(response.headers.get("upload-offset"))];
};
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code?: string }).code,
];
const loadStorage = async () =>
  ((await (await api.call(`/admin/clients/${account.clientId}`, { key: admin.key })).json()) as Client)
    .storage;
const list = async (key = account.key) => (await (await api.call("/uploads", { key })).json()) as Upload[];
const loadContent = async (id: string) => {
  const asset = assetSchema.parse(await (await api.call(`/assets/${id}`, { key: account.key })).json());
  return { asset, content: Buffer.from(await (await fetch(asset.link)).arrayBuffer()) };
};
/** A request that has sent a part of what it announced, and goes on when told. */
function openPatch(
  id: string,
  { offset, sizeBytes, base = api.address }: Options & { offset: number; sizeBytes: number },
) {
  return openRawConnection(
    base,
    `PATCH /uploads/${id} HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\ntus-resumable: 1.0.0\r\nupload-offset: ${offset}\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${sizeBytes}\r\n\r\n`,
  );
}
const findStored = async (id: string) =>
  (await stat(join(api.dataDir, "blobs/uploads", id)).catch(() => undefined))?.size;

async function startSecondApi() {
  const config = loadConfig({
    ...{ PORT: "0", DATA_DIR: api.dataDir, RATE_LIMIT_PER_SECOND: "0" },
    ...environment,
  });
  const log = makeLog({ ...config, logLevel: "silent" }, "api", { write: () => {} });
  const second = await startApi({ config, databaseUrl: api.database.url, log });
  onTestFinished(() => second.close());
  return second.address;
}

const sweepNow = () => {
  const blobsDir = join(api.dataDir, "blobs");
  return openFileBlobs(blobsDir).then((blobs) =>
    sweep({
      db: api.database.db,
      blobs,
      partials: openFilePartials(blobs, { rootDir: blobsDir }),
      config: {
        ...loadConfig({ DATA_DIR: api.dataDir, ...environment }),
        ...{ assetRetentionHours: 0, outputRetentionHours: 0 },
      },
    }),
  );
};

describe("a resumable upload", () => {
  it("[A7] becomes an asset with its id once all pieces have arrived", async () => {
    const id = await start();
    expect(await ask(id)).toEqual([200, 0]);
    const first = await send(id, 0, FILE.subarray(0, 400_000));
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, "400000"]);
    expect(Date.parse(first.headers.get("upload-expires") ?? "")).toBeGreaterThan(
      Date.now() + 23 * 3_600_000,
    );
    expect((await api.call(`/assets/${id}`, { key: account.key })).status).toBe(404);
    expect(await ask(id)).toEqual([200, 400_000]);
    expect((await send(id, 400_000, FILE.subarray(400_000))).status).toBe(204);
    const { asset, content } = await loadContent(id);
    expect(asset).toMatchObject({ id, name: "a.wav", format: "wav", size: FILE.length });
    expect(content.equals(FILE)).toBe(true);
    expect(await ask(id)).toEqual([200, FILE.length]);
    expect(await list()).toEqual([]);
    expect(await findStored(id)).toBeUndefined();
  });

  it("[A7] may bring its first piece when it is created, and says the rest", async () => {
    const response = await api.call("/uploads", {
      method: "POST",
      key: account.key,
      headers: {
        ...BYTES,
        "upload-length": "10",
        "upload-metadata": toMetadata({ filename: "dir\\lied ö.mp3", fingerprint: "f1" }),
      },
      body: FILE.subarray(0, 4),
    });
    expect([response.status, response.headers.get("upload-offset")]).toEqual([201, "4"]);
    const [found] = await list();
    expect(found).toMatchObject({
      name: "lied ö.mp3",
      size: 10,
      offset: 4,
      fingerprint: "f1",
      isReceiving: false,
    });
    const one = await api.call(`/uploads/${found?.id}`, { key: account.key });
    expect(uploadSchema.parse(await one.json())).toEqual(found);
    await send(found?.id ?? "", 4, FILE.subarray(4, 10));
    expect(await (await api.call(`/uploads/${found?.id}`, { key: account.key })).json()).toMatchObject({
      ...{ size: 10, offset: 10, name: "lied ö.mp3" },
    });
  });

  it("[A7] tells what it speaks, and refuses other versions, types, lengths and metadata", async () => {
    const options = await api.call("/uploads", { method: "OPTIONS", key: null });
    expect(Object.fromEntries(options.headers)).toMatchObject({
      "tus-version": "1.0.0",
      "tus-extension": "creation,creation-with-upload,expiration,termination",
      "tus-max-size": String(MAX_BYTES),
      "access-control-expose-headers": expect.stringMatching(/location.*upload-offset/),
    });
    const old = await create(1, { headers: { "tus-resumable": "0.2.2" } });
    expect(old.headers.get("tus-version")).toBe("1.0.0");
    expect(await codeOf(old)).toEqual([412, "TUS_VERSION_UNSUPPORTED"]);
    for (const size of ["-1", "1.5", "x", "9".repeat(16)])
      expect(await codeOf(await create(size))).toEqual([400, "REQUEST_INVALID"]);
    expect(await codeOf(await create(0))).toEqual([400, "UPLOAD_EMPTY"]);
    expect(await codeOf(await create(MAX_BYTES + 1))).toEqual([413, "UPLOAD_TOO_LARGE"]);
    for (const metadata of ["filename a b", "filename !", ",,"])
      expect(await codeOf(await create(1, { headers: { "upload-metadata": metadata } }))).toEqual([
        400,
        "REQUEST_INVALID",
      ]);
    const missing = await api.call("/uploads", { method: "POST", key: account.key, headers: TUS });
    expect(await codeOf(missing)).toEqual([400, "REQUEST_INVALID"]);
    const id = await start(10);
    const json = { "content-type": "application/json" };
    expect(await codeOf(await send(id, 0, Buffer.from("{}"), { headers: json }))).toEqual([
      415,
      "CONTENT_TYPE_UNSUPPORTED",
    ]);
    const elsewhere = await api.call("/tasks", { method: "POST", headers: BYTES, body: "x" });
    expect(await codeOf(elsewhere)).toEqual([415, "CONTENT_TYPE_UNSUPPORTED"]);
    expect(await ask(id)).toEqual([200, 0]);
  });

  it("[A8] is 409 at another offset than what is stored, and 413 beyond its length", async () => {
    const id = await start(10);
    await send(id, 0, FILE.subarray(0, 4));
    for (const offset of [0, 3, 5, 11])
      expect(await codeOf(await send(id, offset, FILE.subarray(0, 1)))).toEqual([409, "UPLOAD_OFFSET_WRONG"]);
    expect(await codeOf(await send(id, 4, FILE.subarray(0, 7)))).toEqual([413, "UPLOAD_TOO_LARGE"]);
    expect(await codeOf(await send(id, "x", FILE.subarray(0, 1)))).toEqual([400, "REQUEST_INVALID"]);
    expect(await ask(id)).toEqual([200, 4]);
    const incomplete = await api.call(`/uploads/${id}/complete`, { method: "POST", key: account.key });
    expect(await codeOf(incomplete)).toEqual([409, "UPLOAD_INCOMPLETE"]);
    const chunked = openRawConnection(
      api.address,
      `PATCH /uploads/${id} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${account.key}\r\nupload-offset: 4\r\ncontent-type: application/offset+octet-stream\r\ntransfer-encoding: chunked\r\n\r\n7\r\n1234567\r\n0\r\n\r\n`,
    );
    expect((await chunked.closed).text).toContain("UPLOAD_TOO_LARGE");
    expect(await ask(id)).toEqual([200, 4]);
  });

  it("[A8] resumes with the next byte after the connection broke", async () => {
    const id = await start();
    const broken = openPatch(id, { offset: 0, sizeBytes: FILE.length });
    broken.socket.write(FILE.subarray(0, 300_123));
    await expect.poll(() => findStored(id)).toBe(300_123);
    broken.socket.destroy();
    await broken.closed;
    await expect.poll(() => ask(id)).toEqual([200, 300_123]);
    expect((await send(id, 300_123, FILE.subarray(300_123))).status).toBe(204);
    expect((await loadContent(id)).content.equals(FILE)).toBe(true);
  });

  it("[A8] is continued by the newest request; an older one is stopped and keeps what it sent, in the same and in another process", async () => {
    const second = await startSecondApi();
    for (const base of [api.address, second]) {
      const id = await start();
      const older = openPatch(id, { offset: 0, sizeBytes: FILE.length });
      older.socket.write(FILE.subarray(0, 200_000));
      await expect.poll(() => findStored(id)).toBe(200_000);
      expect((await list())[0]).toMatchObject({ id, isReceiving: true });
      expect(await ask(id, { base })).toEqual([200, 200_000]);
      await expect.poll(() => older.received()).toContain("UPLOAD_TAKEN_OVER");
      older.socket.destroy();
      expect((await send(id, 200_000, FILE.subarray(200_000), { base })).status).toBe(204);
      expect((await loadContent(id)).content.equals(FILE)).toBe(true);
    }
  });

  it("[A8] is no longer receiving a few seconds after its line broke unnoticed, and known as finished to a request that waited", async () => {
    const id = await start();
    const silent = openPatch(id, { offset: 0, sizeBytes: FILE.length });
    silent.socket.write(FILE.subarray(0, 200_000));
    await expect.poll(async () => (await list())[0]?.isReceiving).toBe(true);
    await expect.poll(async () => (await list())[0]?.isReceiving).toBe(false);
    expect((await list())[0]?.offset).toBe(200_000);
    const [state] = await Promise.all([ask(id), silent.socket.write(FILE.subarray(200_000))]);
    expect(state[0]).toBe(200);
    silent.socket.destroy();
  });

  it("[A8] survives many writers at once: one at a time stores, and the file is whole", async () => {
    const id = await start();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => (await send(id, 0, FILE.subarray(0, 500_000))).status),
    );
    expect(answers.filter((status) => status === 204)).toHaveLength(1);
    expect(answers.filter((status) => status === 409)).toHaveLength(7);
    expect(await ask(id)).toEqual([200, 500_000]);
    const last = await Promise.all(
      Array.from({ length: 4 }, () => send(id, 500_000, FILE.subarray(500_000))),
    );
    expect(last.filter(({ status }) => status === 204)).toHaveLength(1);
    const completed = await Promise.all(
      Array.from({ length: 4 }, () =>
        api.call(`/uploads/${id}/complete`, { method: "POST", key: account.key }),
      ),
    );
    expect(completed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await loadContent(id)).content.equals(FILE)).toBe(true);
  });

  it("[A8] is completed later if the process died after the last byte, before or after the file was moved", async () => {
    const { pool } = api.database;
    const partials = openFilePartials(await openFileBlobs(join(api.dataDir, "blobs")), {
      rootDir: join(api.dataDir, "blobs"),
    });
    for (const isMoved of [false, true]) {
      const id = await start();
      await send(id, 0, FILE.subarray(0, 999_999));
      const file = { id, key: `assets/${id}/a.wav`, sizeBytes: FILE.length, partBytes: 1 };
      const writer = await partials.open(file, 999_999);
      await writer.write(FILE.subarray(999_999));
      await writer.close();
      if (isMoved) await partials.finish(file);
      await pool.query("update uploads set stored_bytes = size_bytes where id = $1", [id]);
      expect(await ask(id)).toEqual([200, FILE.length]);
      expect((await loadContent(id)).content.equals(FILE)).toBe(true);
    }
  });

  it("[A8] a writer that died holds nobody up for long", async () => {
    const id = await start(10);
    await api.database.pool.query(
      "update uploads set writer = 'dead', writer_until = now() + interval '1 second' where id = $1",
      [id],
    );
    expect((await send(id, 0, FILE.subarray(0, 10))).status).toBe(204);
  });

  it("[A8] whose bytes are gone is unknown instead of full of zeros", async () => {
    const id = await start(10);
    await send(id, 0, FILE.subarray(0, 4));
    await rm(join(api.dataDir, "blobs/uploads", id));
    expect(await codeOf(await send(id, 4, FILE.subarray(4, 10)))).toEqual([404, "NOT_FOUND"]);
    expect(await ask(id)).toEqual([404, 0]);
  });

  it("[A7] is recognised by its first bytes if its name does not tell the format, and refused else", async () => {
    const id = await start(5000, "song");
    const flac = Buffer.concat([Buffer.from("fLaC"), FILE.subarray(0, 4996)]);
    expect((await send(id, 0, flac.subarray(0, 4500))).status).toBe(204);
    expect((await send(id, 4500, flac.subarray(4500))).status).toBe(204);
    expect((await loadContent(id)).asset).toMatchObject({ name: "song", format: "flac" });
    const other = await start(5000, "song");
    expect(await codeOf(await send(other, 0, Buffer.alloc(5000)))).toEqual([
      400,
      "UPLOAD_FORMAT_UNSUPPORTED",
    ]);
  });

  it("[I1] is created once for an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    const [first, again] = [await create(10, { headers }), await create(10, { headers })];
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await codeOf(await create(11, { headers }))).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    expect(await list()).toHaveLength(1);
  });

  it("[A9] is invisible to other clients", async () => {
    const id = await start(10);
    await send(id, 0, FILE.subarray(0, 4));
    const { key } = await api.addAccount();
    expect(await list(key)).toEqual([]);
    expect(await ask(id, { key })).toEqual([404, 0]);
    const calls = [
      send(id, 4, FILE.subarray(0, 6), { key }),
      api.call(`/uploads/${id}`, { key }),
      api.call(`/uploads/${id}`, { method: "DELETE", key, headers: TUS }),
      api.call(`/uploads/${id}/complete`, { method: "POST", key }),
    ];
    for (const response of await Promise.all(calls))
      expect(await codeOf(response)).toEqual([404, "NOT_FOUND"]);
    const nobody = await api.call(`/uploads/${id}`, { key: null });
    expect(await codeOf(nobody)).toEqual([401, "KEY_MISSING"]);
    expect(await ask(id)).toEqual([200, 4]);
  });

  it("[P7] holds its whole length of the quota until it is an asset, deleted or expired", async () => {
    const id = await start(2_000_000);
    await send(id, 0, FILE.subarray(0, 10));
    expect(await loadStorage()).toEqual({ assetsBytes: 0, outputsBytes: 0, heldBytes: 2_000_000 });
    expect((await api.upload(new Uint8Array(3_000_000), "a.wav", account)).status).toBe(200);
    expect(await codeOf(await create(1_000_001))).toEqual([413, "STORAGE_QUOTA_EXCEEDED"]);
    const small = await start(1_000_000);
    expect(await codeOf(await api.upload("x", "a.wav", account))).toEqual([413, "STORAGE_QUOTA_EXCEEDED"]);
    await send(small, 0, FILE);
    expect(await loadStorage()).toEqual({ assetsBytes: 4_000_000, outputsBytes: 0, heldBytes: 2_000_000 });
    expect(
      (await api.call(`/uploads/${id}`, { method: "DELETE", key: account.key, headers: TUS })).status,
    ).toBe(204);
    expect(await loadStorage()).toEqual({ assetsBytes: 4_000_000, outputsBytes: 0, heldBytes: 0 });
    expect(await findStored(id)).toBeUndefined();
    expect(await ask(id)).toEqual([404, 0]);
  });

  it("[P7] of one client are limited, in bytes and number, also concurrently; one is always taken", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(1_500_000)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    const refused = await create(1_500_000);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await codeOf(refused)).toEqual([429, "UPLOADS_TOO_MANY"]);
    const other = await api.addAccount();
    expect((await create(MAX_BYTES, other)).status).toBe(201);
    account = await api.addAccount();
    // Two batches: a client has a limited number of requests at once.
    for (const count of [50, 51]) {
      const many = await Promise.all(Array.from({ length: count }, () => create(1)));
      expect(many.filter(({ status }) => status === 201)).toHaveLength(50);
    }
    expect(await codeOf(await create(1))).toEqual([429, "UPLOADS_TOO_MANY"]);
  });

  it("[R7] is removed with its bytes and its hold when it expires, unless bytes still arrive", async () => {
    const [expired, kept, fresh] = [await start(), await start(), await start()];
    for (const id of [expired, kept, fresh]) await send(id, 0, FILE.subarray(0, 1000));
    await api.database.pool.query(
      "update uploads set expires_at = now() - interval '1 second' where id = any($1)",
      [[expired, kept]],
    );
    const arriving = openPatch(kept, { offset: 1000, sizeBytes: 500_000 });
    arriving.socket.write(FILE.subarray(1000, 2000));
    await expect.poll(async () => (await list()).find(({ id }) => id === kept)?.offset).toBe(2000);
    expect(await sweepNow()).toMatchObject({ uploads: 1 });
    arriving.socket.destroy();
    expect((await list()).map(({ id }) => id).sort()).toEqual([kept, fresh].sort());
    expect(await findStored(expired)).toBeUndefined();
    expect(await findStored(fresh)).toBe(1000);
    expect(await loadStorage()).toMatchObject({ heldBytes: 2_000_000 });
    expect(await ask(expired)).toEqual([404, 0]);
  });

  it("[A9] an administrator uploads for another client, and the location says so", async () => {
    const response = await api.call(`/uploads?clientId=${account.clientId}`, {
      method: "POST",
      key: admin.key,
      headers: { ...BYTES, "upload-length": "3", "upload-metadata": toMetadata({ filename: "a.wav" }) },
      body: "abc",
    });
    expect(response.headers.get("location")).toContain(`?clientId=${account.clientId}`);
    const state = await api.call(response.headers.get("location") ?? "", { method: "HEAD", key: admin.key });
    expect(state.headers.get("upload-offset")).toBe("3");
    const { content } = await loadContent(new URL(state.url).pathname.split("/").at(-1) ?? "");
    expect(content.toString()).toBe("abc");
  });

  it("[A10] is not direct where the store is no bucket", async () => {
    const response = await api.post("/uploads/direct", { name: "a.wav", size: 5 }, account);
    expect(await codeOf(response)).toEqual([409, "DIRECT_UPLOADS_OFF"]);
    expect(await readdir(join(api.dataDir, "blobs"))).toContain("uploads");
  });
});
