import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../test/support/test-api.ts";
import {
  ApiError,
  ConnectionError,
  Stemwright,
  type StemwrightOptions,
  type UploadProgress,
} from "../index.ts";
import { PIECE_BYTES } from "./send-in-pieces.ts";

const FILE = randomBytes(2 * PIECE_BYTES + 1234);
let api: TestApi;
let folder: string;
let path: string;
let account: TestAccount;
beforeAll(async () => {
  api = await startTestApi();
  folder = await makeTempDir("pieces");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await api.close();
});
beforeEach(async () => {
  account = await api.addAccount();
  path = join(folder, `${account.clientId}.wav`);
  await writeFile(path, FILE);
});

type Fault = { method: string; count: number; afterBytes?: number };
/** A fetch that breaks some requests, in the middle of their body if told so, and counts all. */
function makeFaultyFetch(...faults: Fault[]) {
  const sent: string[] = [];
  const faulty: typeof fetch = async (url, init = {}) => {
    const { method = "GET" } = init;
    sent.push(`${method} ${new URL(String(url)).pathname.replace(/[a-z0-9]{26}/, "ID")}`);
    const fault = faults.find((one) => one.method === method && one.count > 0);
    if (!fault) return await fetch(url, init);
    fault.count -= 1;
    const stop = new AbortController();
    let passedBytes = 0;
    const body = (init.body as ReadableStream<Uint8Array> | undefined)?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          passedBytes += chunk.length;
          if (passedBytes > (fault.afterBytes ?? 0)) stop.abort();
          controller.enqueue(chunk);
        },
      }),
    );
    if (!body) throw new TypeError("fetch failed");
    await fetch(url, { ...init, body, signal: stop.signal });
    throw new TypeError("fetch failed");
  };
  return { fetch: faulty, sent };
}
const open = (options: StemwrightOptions = {}) =>
  new Stemwright({ baseUrl: api.address, apiKey: account.key, ...options });
const expectWhole = async (id: string) => {
  const client = open();
  const response = await client.assets.download(await client.assets.get(id));
  expect(Buffer.from(await response.arrayBuffer()).equals(FILE)).toBe(true);
};

describe("[S30] a large upload", () => {
  it("is sent in pieces, with progress, as the asset of a path or a File", async () => {
    const { fetch, sent } = makeFaultyFetch();
    const progress: UploadProgress[] = [];
    const { id, size } = await open({ fetch }).assets.upload(path, {
      onProgress: (one) => progress.push(one),
    });
    expect(size).toBe(FILE.length);
    await expectWhole(id);
    expect(sent).toEqual([
      "GET /uploads",
      "POST /uploads",
      ...["PATCH /uploads/ID", "PATCH /uploads/ID", "PATCH /uploads/ID"],
      "POST /uploads/ID/complete",
    ]);
    expect(progress.at(-1)).toEqual({ sentBytes: FILE.length, totalBytes: FILE.length });
    expect(progress.map(({ sentBytes }) => sentBytes)).toEqual(
      progress.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b),
    );
    const file = new File([FILE], "lied ö.wav");
    expect(await open().assets.upload(file)).toMatchObject({ name: "lied ö.wav", size: FILE.length });
    const stream = await open().assets.upload(createReadStream(path), { name: "s.wav" });
    await expectWhole(stream.id);
  });

  it("resumes with the next byte after its connection broke, as long as some arrive in between", async () => {
    const { fetch, sent } = makeFaultyFetch({ method: "PATCH", count: 4, afterBytes: 3_000_000 });
    const { id } = await open({ fetch, maxRetries: 1 }).assets.upload(path);
    await expectWhole(id);
    expect(sent.filter((call) => call === "POST /uploads")).toHaveLength(1);
    expect(sent.filter((call) => call === "PATCH /uploads/ID").length).toBeLessThanOrEqual(8);
  });

  it("gives up after failures without progress, and the next process resumes it", async () => {
    const broken = makeFaultyFetch(
      { method: "PATCH", count: 1, afterBytes: 5_000_000 },
      { method: "PATCH", count: 99 },
    );
    const failed = open({ fetch: broken.fetch, maxRetries: 0 }).assets.upload(path);
    await expect(failed).rejects.toBeInstanceOf(ConnectionError);
    const findLeft = async () => (await open().uploads.list().toArray())[0];
    await expect
      .poll(findLeft)
      .toMatchObject({ offset: expect.toSatisfy((offset: number) => offset > 0), isReceiving: false });
    const left = await findLeft();
    const { fetch, sent } = makeFaultyFetch();
    const { id } = await open({ fetch }).assets.upload(path);
    expect(id).toBe(left?.id);
    expect(sent).not.toContain("POST /uploads");
    await expectWhole(id);
  });

  it("starts again if the file was changed, is sent by another request, or was deleted meanwhile", async () => {
    const start = async () => {
      const { mtimeMs } = await stat(path);
      const fingerprint = `tus ${FILE.length} ${Math.floor(mtimeMs)} ${account.clientId}.wav`;
      return await open().uploads.create({ name: "a.wav", sizeBytes: FILE.length, fingerprint });
    };
    const { id: old } = await start();
    await utimes(path, 1, 1);
    expect((await open().assets.upload(path)).id).not.toBe(old);
    const { id: deleted } = await start();
    const deleting: typeof fetch = async (url, init) => {
      if (init?.method === "PATCH" && String(url).endsWith(deleted)) await open().uploads.delete(deleted);
      return await fetch(url, init);
    };
    const { id } = await open({ fetch: deleting }).assets.upload(path);
    expect(id).not.toBe(deleted);
    await expectWhole(id);
  });

  it("is deleted when it is aborted, unless it is to be kept", async () => {
    for (const keepOnAbort of [false, true]) {
      const controller = new AbortController();
      const onProgress = vi.fn(({ sentBytes }: UploadProgress) => {
        if (sentBytes > 1_000_000) controller.abort(new Error("enough"));
      });
      const { signal } = controller;
      const upload = open().assets.upload(path, { signal, onProgress, keepOnAbort });
      await expect(upload).rejects.toThrow("enough");
      expect(await open().uploads.list().toArray()).toHaveLength(keepOnAbort ? 1 : 0);
    }
  });

  it("fails at once with a refusal that no retry can change", async () => {
    const { fetch, sent } = makeFaultyFetch();
    const refused = open({ fetch, apiKey: "wrong" }).assets.upload(path);
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(1);
    const off = open().assets.upload(path, { direct: true });
    await expect(off).rejects.toMatchObject({ code: "DIRECT_UPLOADS_OFF" });
  });
});
