import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  answerError,
  answerJson,
  makeFakeFetch,
  type SentRequest,
} from "../../../test/support/fake-fetch.ts";
import { settle, useFakeTime } from "../../../test/support/fake-time.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { ServerError, Stemwright, type UploadInput, type UploadProgress } from "../index.ts";

const BYTES = Uint8Array.from({ length: 200_000 }, (_, index) => index % 253);
const folder = await makeTempDir("sdk-upload");
const path = join(folder, "song.wav");
await writeFile(path, BYTES);

/** A service that parses the form and returns what it received. */
async function takeForm({ headers, body }: SentRequest) {
  const request = new Request("http://a", {
    method: "POST",
    headers: { "content-type": headers.get("content-type") ?? "" },
    body: body as ReadableStream,
    duplex: "half",
  } as RequestInit);
  const raw = new Uint8Array(await request.clone().arrayBuffer());
  const file = (await request.formData()).get("file") as File;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const length = headers.get("content-length");
  return answerJson({
    name: file.name,
    type: file.type,
    isWhole: Buffer.from(bytes).equals(BYTES),
    isLengthRight: length === null ? null : Number(length) === raw.length,
  });
}
const upload = (fake: { fetch: typeof fetch }, input: UploadInput, options = {}) =>
  new Stemwright({ baseUrl: "http://a", fetch: fake.fetch }).assets.upload(
    input,
    options,
  ) as Promise<unknown>;

beforeEach(useFakeTime);
afterEach(() => void vi.useRealTimers());
afterAll(() => rm(folder, { recursive: true }));

describe("[A1] an upload", () => {
  const unknown = "application/octet-stream";
  it.each<[string, () => UploadInput, { name?: string }, object]>([
    ["a path", () => path, {}, { name: "song.wav", type: unknown, isLengthRight: true }],
    ["a path under another name", () => path, { name: 'a "b"\n.wav' }, { name: 'a "b"\n.wav' }],
    [
      "a File",
      () => new File([BYTES], "lied ö.mp3", { type: "audio/mpeg" }),
      {},
      { name: "lied ö.mp3", type: "audio/mpeg", isLengthRight: true },
    ],
    ["a Blob", () => new Blob([BYTES]), { name: "b.wav" }, { name: "b.wav", isLengthRight: true }],
    ["bytes", () => BYTES, { name: "b.wav" }, { name: "b.wav", isLengthRight: true }],
    ["a buffer", () => BYTES.buffer, { name: "b.wav" }, { name: "b.wav", isLengthRight: true }],
    [
      "a web stream",
      () => new Blob([BYTES]).stream(),
      { name: "s.wav" },
      { name: "s.wav", isLengthRight: null },
    ],
    [
      "a Node stream",
      () => createReadStream(path),
      { name: "s.wav" },
      { name: "s.wav", isLengthRight: null },
    ],
  ])("takes %s", async (_name, makeInput, options, expected) => {
    const fake = makeFakeFetch(takeForm);
    expect(await upload(fake, makeInput(), options)).toMatchObject({ isWhole: true, ...expected });
  });

  it("reports its progress", async () => {
    const progress: UploadProgress[] = [];
    const onProgress = (update: UploadProgress) => progress.push(update);
    await upload(makeFakeFetch(takeForm), path, { onProgress });
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toEqual({ sentBytes: BYTES.length, totalBytes: BYTES.length });
    expect(progress.map(({ sentBytes }) => sentBytes)).toEqual(
      progress.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b),
    );
  });

  it("reads no further ahead than the connection takes", async () => {
    let sentBytes = 0;
    let readBytes = 0;
    const source = (async function* () {
      for (let count = 0; count < 100; count += 1) {
        readBytes += BYTES.length;
        yield BYTES;
      }
    })();
    const fake = makeFakeFetch(async ({ body }) => {
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      for (let count = 0; count < 5; count += 1) {
        await reader.read();
        await yieldToLoop();
      }
      return answerJson({});
    });
    const onProgress = (progress: UploadProgress) => {
      sentBytes = progress.sentBytes;
    };
    await upload(fake, source, { name: "a.wav", onProgress });
    expect(sentBytes).toBeGreaterThanOrEqual(3 * BYTES.length);
    expect(readBytes).toBeLessThanOrEqual(7 * BYTES.length);
  });

  it("is sent again from the start if the service fails, with the same Idempotency-Key", async () => {
    const fake = makeFakeFetch(answerError(503), takeForm);
    expect((await settle(upload(fake, path))).value).toMatchObject({ isWhole: true });
    const keys = fake.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[1]).toBe(keys[0]);
  });

  it("of a stream is tried only once: it can't be read again", async () => {
    const fake = makeFakeFetch(answerError(503), takeForm);
    const { error } = await settle(upload(fake, createReadStream(path), { name: "s.wav" }));
    expect(error).toBeInstanceOf(ServerError);
    expect(fake.requests).toHaveLength(1);
  });

  it("of something that is not a file is rejected before anything is sent", async () => {
    const fake = makeFakeFetch(takeForm);
    await expect(upload(fake, folder)).rejects.toThrow("Not a file");
    await expect(upload(fake, join(folder, "none.wav"))).rejects.toThrow("ENOENT");
    expect(fake.requests).toHaveLength(0);
  });
});
