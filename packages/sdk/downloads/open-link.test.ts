import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFile, Target, Task } from "@stemwright/contract";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  answerError,
  answerJson,
  makeFakeFetch,
  type SentRequest,
} from "../../../test/support/fake-fetch.ts";
import { settle, useFakeTime } from "../../../test/support/fake-time.ts";
import { sampleTarget, sampleTask } from "../../../test/support/sample-task.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { ConnectionError, NotFoundError, PermissionError, Stemwright, StemwrightError } from "../index.ts";

const BYTES = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
const LINK = "https://files.example/outputs/vocals.wav?Expires=1";
const FRESH_LINK = "https://files.example/outputs/vocals.wav?Expires=2";

const output = (link: string, name = "vocals"): OutputFile => ({
  name,
  format: "wav",
  link,
  type: "audio/wav",
  size: BYTES.length,
});
const target = (id: string, files: OutputFile[]) => sampleTarget({ id, status: "completed", output: files });
const makeTask = (...targets: Target[]) => sampleTask(targets, "2026-01-31T09:30:00.000Z");
const task = makeTask(target("g1", [output(LINK)]));
const freshTask = makeTask(target("g1", [output(FRESH_LINK)]));

/** The file from the byte in Range on; only part of it if the connection breaks. */
function sendFile(
  { headers }: SentRequest,
  options: { breakAfter?: number; tag?: string; ignoresRange?: boolean } = {},
) {
  const { breakAfter, tag = '"a"', ignoresRange = false } = options;
  const range = ignoresRange ? null : headers.get("range");
  const start = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
  const content = BYTES.slice(start, breakAfter === undefined ? undefined : start + breakAfter);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(content);
    },
    pull(controller) {
      if (breakAfter === undefined) controller.close();
      else controller.error(new TypeError("terminated"));
    },
  });
  const length = { "content-length": String(BYTES.length - start), etag: tag, "content-type": "audio/wav" };
  return new Response(body, { status: range === null ? 200 : 206, headers: length });
}

const makeClient = ({ fetch }: { fetch: typeof globalThis.fetch }) =>
  new Stemwright({ baseUrl: "https://stems.example", apiKey: "sw_key", credentials: "include", fetch });
/** All bytes of a download, advancing the fake clock as needed. */
async function read(response: Response): Promise<Uint8Array> {
  const { value, error } = await settle(response.arrayBuffer());
  if (!value) throw error;
  return new Uint8Array(value);
}
const getOutput = (of: Task) => of.targets[0]?.output[0] as OutputFile;
const summarize = ({ url, headers }: SentRequest) => [url, headers.get("range"), headers.get("if-range")];

beforeEach(useFakeTime);
afterEach(() => void vi.useRealTimers());

describe("[O2] a download", () => {
  it("is a fetch response, requested without key and cookies", async () => {
    const fake = makeFakeFetch((request) => sendFile(request));
    const progress: unknown[] = [];
    const response = await makeClient(fake).tasks.download(task, getOutput(task), {
      onProgress: (update) => progress.push(update),
    });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(await read(response)).toEqual(BYTES);
    expect(progress).toEqual([{ receivedBytes: 1000, totalBytes: 1000 }]);
    expect([...(fake.requests[0]?.headers ?? [])]).toEqual([]);
    expect(fake.requests[0]?.init.credentials).toBeUndefined();
  });

  it.each([
    ["the service", answerError(403, { code: "LINK_INVALID" })],
    ["a bucket at Google", new Response("<Error><Code>ExpiredToken</Code></Error>", { status: 400 })],
  ])("renews a link that %s says has expired", async (_name, expired) => {
    const fake = makeFakeFetch(expired, answerJson(freshTask), (request) => sendFile(request));
    expect(await read(await makeClient(fake).tasks.download(task, getOutput(task)))).toEqual(BYTES);
    expect(fake.requests.map(({ url }) => url)).toEqual([LINK, "https://stems.example/tasks/t1", FRESH_LINK]);
    expect(fake.requests[1]?.headers.get("x-api-key")).toBe("sw_key");
  });

  it("fails if the fresh link is refused as well", async () => {
    const fake = makeFakeFetch(answerError(403), answerJson(freshTask), answerError(403));
    await expect(makeClient(fake).tasks.download(task, getOutput(task))).rejects.toBeInstanceOf(
      PermissionError,
    );
    expect(fake.requests).toHaveLength(3);
  });

  it("renews the link of the same target, even if two have outputs with the same name", async () => {
    const before = makeTask(target("g1", [output("https://f/1")]), target("g2", [output("https://f/2")]));
    const after = makeTask(target("g1", [output("https://f/3")]), target("g2", [output("https://f/4")]));
    const fake = makeFakeFetch(answerError(403), answerJson(after), (request) => sendFile(request));
    await makeClient(fake).tasks.download(before, before.targets[1]?.output[0] as OutputFile);
    expect(fake.requests.at(-1)?.url).toBe("https://f/4");
  });

  it("reports that the Task no longer has the file", async () => {
    const fake = makeFakeFetch(answerError(403), answerJson(makeTask(target("g1", []))));
    await expect(makeClient(fake).tasks.download(task, getOutput(task))).rejects.toThrow(
      "Task t1 no longer has the file vocals.wav",
    );
    const gone = makeFakeFetch(answerError(403), answerError(404, { code: "NOT_FOUND" }));
    await expect(makeClient(gone).tasks.download(task, getOutput(task))).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  it("[O3] resumes a broken connection with Range and If-Range", async () => {
    const fake = makeFakeFetch(
      (request) => sendFile(request, { breakAfter: 300 }),
      (request) => sendFile(request, { breakAfter: 200 }),
      (request) => sendFile(request),
    );
    expect(await read(await makeClient(fake).tasks.download(task, getOutput(task)))).toEqual(BYTES);
    expect(fake.requests.map(summarize)).toEqual([
      [LINK, null, null],
      [LINK, "bytes=300-", '"a"'],
      [LINK, "bytes=500-", '"a"'],
    ]);
  });

  it("renews a link that expired midway, and resumes", async () => {
    const fake = makeFakeFetch(
      (request) => sendFile(request, { breakAfter: 300 }),
      answerError(403),
      answerJson(freshTask),
      (request) => sendFile(request),
    );
    expect(await read(await makeClient(fake).tasks.download(task, getOutput(task)))).toEqual(BYTES);
    expect(summarize(fake.requests.at(-1) as SentRequest)).toEqual([FRESH_LINK, "bytes=300-", '"a"']);
  });

  it("resumes with a server that ignores Range", async () => {
    const fake = makeFakeFetch(
      (request) => sendFile(request, { breakAfter: 300 }),
      (request) => sendFile(request, { ignoresRange: true }),
    );
    expect(await read(await makeClient(fake).tasks.download(task, getOutput(task)))).toEqual(BYTES);
  });

  it("fails if the file has changed", async () => {
    const fake = makeFakeFetch(
      (request) => sendFile(request, { breakAfter: 300 }),
      (request) => sendFile(request, { ignoresRange: true, tag: '"b"' }),
    );
    const response = await makeClient(fake).tasks.download(task, getOutput(task));
    await expect(read(response)).rejects.toThrow(StemwrightError);
    expect(fake.requests).toHaveLength(2);
  });

  it("gives up after two attempts without data", async () => {
    const fake = makeFakeFetch((request) => sendFile(request, { breakAfter: 0 }));
    const response = await makeClient(fake).tasks.download(task, getOutput(task));
    await expect(read(response)).rejects.toBeInstanceOf(ConnectionError);
    expect(fake.requests).toHaveLength(3);
  });

  it("stops when its signal aborts", async () => {
    const controller = new AbortController();
    const fake = makeFakeFetch((request) => sendFile(request, { breakAfter: 300 }));
    const { signal } = controller;
    const response = await makeClient(fake).tasks.download(task, getOutput(task), { signal });
    controller.abort(new Error("enough"));
    await expect(read(response)).rejects.toThrow("enough");
  });
});

async function openTempDir(): Promise<string> {
  const folder = await makeTempDir("sdk");
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("saving outputs", () => {
  it("writes a file atomically", async () => {
    const folder = await openTempDir();
    const path = join(folder, "a", "b", "vocals.wav");
    const fake = makeFakeFetch((request) => sendFile(request));
    await makeClient(fake).tasks.save(task, getOutput(task), path);
    expect(new Uint8Array(await readFile(path))).toEqual(BYTES);
    const broken = makeFakeFetch((request) => sendFile(request, { breakAfter: 0 }));
    const other = join(folder, "a", "b", "other.wav");
    const { error } = await settle(makeClient(broken).tasks.save(task, getOutput(task), other));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(await readdir(join(folder, "a", "b"))).toEqual(["vocals.wav"]);
  });

  it("gives all files of a Task unique names inside the folder", async () => {
    const folder = await openTempDir();
    const fake = makeFakeFetch((request) => sendFile(request));
    const three = makeTask(
      target("g1", [output("https://f/1"), output("https://f/2", "../../vocals")]),
      target("g2", [output("https://f/3", "Vocals")]),
    );
    const paths = await makeClient(fake).tasks.saveAll(three, folder);
    expect(paths).toEqual(
      ["vocals.wav", ".._.._vocals.wav", "Vocals-2.wav"].map((name) => join(folder, name)),
    );
    expect((await readdir(folder)).sort()).toEqual([".._.._vocals.wav", "Vocals-2.wav", "vocals.wav"]);
    const song = { ...output(LINK, "words"), format: "ultrastar" };
    const twice = makeTask(target("g1", [song]), target("g2", [song]));
    expect(await makeClient(fake).tasks.saveAll(twice, folder)).toEqual(
      ["words.ultrastar.txt", "words-2.ultrastar.txt"].map((name) => join(folder, name)),
    );
    const toName = ({ format }: OutputFile, { id }: Target) => `${id}.${format}`;
    expect(
      await makeClient(fake).tasks.saveAll(makeTask(target("g9", [output(LINK)])), folder, { toName }),
    ).toEqual([join(folder, "g9.wav")]);
  });
});
