import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSelfSignedServer } from "../../../../test/support/self-signed-server.ts";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { makeAddressGuard } from "../../net/address-guard.ts";
import { fetchUrlFile } from "./fetch-url-file.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const body = randomBytes(300_000);
/** Much more than the streams' buffers, which a break discards. */
const large = randomBytes(4_000_000);
const guard = makeAddressGuard(["127.0.0.1"]);
let answers: Answer[];
let requests: IncomingMessage[];
let path: string;
/** Answers as listed, repeating the last one. */
const server = createServer((request, response) => {
  requests.push(request);
  (answers.length > 1 ? answers.shift() : answers[0])?.(response, request);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  await guard.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  requests = [];
  path = join(await makeTempDir("url-file"), "input");
});

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end("no");
const reset: Answer = (response) => response.destroy();
const give: Answer = (response) => response.end(body);
/** Sends this much of the requested range, then breaks the connection; all of it by default. */
const giveTagged =
  (bytes = large.length, { etag = '"one"', hasParts = true } = {}): Answer =>
  (response, { headers }) => {
    const isPart = hasParts && headers["if-range"] === etag;
    const start = isPart ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1]) : 0;
    response.writeHead(isPart ? 206 : 200, {
      etag,
      "content-length": large.length - start,
      ...(isPart ? { "content-range": `bytes ${start}-${large.length - 1}/${large.length}` } : {}),
    });
    const part = large.subarray(start, start + bytes);
    if (part.length === large.length - start) response.end(part);
    else response.write(part, () => response.socket?.end());
  };

async function fetch(
  options: { maxBytes?: number; delaysMs?: number[]; signal?: AbortSignal; login?: string } = {},
) {
  const {
    maxBytes = 5_000_000,
    delaysMs = [1, 2, 3, 4],
    login,
    signal = AbortSignal.timeout(20_000),
  } = options;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.wav`;
  const progress: number[] = [];
  const onProgress = (fraction: number) => void progress.push(fraction);
  await fetchUrlFile(
    { guard },
    { url, login },
    { path, what: "input", maxBytes, delaysMs, signal, onProgress },
  );
  // No other file is left.
  expect(await readdir(dirname(path))).toEqual(["input"]);
  return { content: await readFile(path), progress };
}

describe("an input by URL", () => {
  it.each([
    { what: "a 500", failures: [status(500)] },
    { what: "a 503 that asks for a moment", failures: [status(503, { "retry-after": "0" })] },
    { what: "a 429", failures: [status(429)] },
    { what: "a reset", failures: [reset] },
    { what: "four of them", failures: [status(502), reset, status(500), status(504)] },
  ])("[T16] is fetched though there is $what first", async ({ failures }) => {
    answers = [...failures, give];
    expect((await fetch()).content.equals(body)).toBe(true);
    expect(requests).toHaveLength(failures.length + 1);
  });

  it("[T16] fails after five tries", async () => {
    answers = [status(500)];
    await expect(fetch()).rejects.toMatchObject({
      code: 1006,
      message: "The input could not be fetched: its server answered 500",
    });
    expect(requests).toHaveLength(5);
  });

  it.each([
    { code: 404, error: 1004 },
    { code: 410, error: 1004 },
    { code: 401, error: 1005 },
    { code: 403, error: 1005 },
    { code: 400, error: 1006 },
  ])("[T16] [T7] is given up at once for a $code", async ({ code, error }) => {
    answers = [status(code)];
    await expect(fetch()).rejects.toMatchObject({ code: error });
    expect(requests).toHaveLength(1);
  });

  it("[T16] is not waited for longer than two minutes, whatever Retry-After says", async () => {
    answers = [status(503, { "retry-after": "121" })];
    await expect(fetch()).rejects.toMatchObject({ code: 1006 });
    expect(requests).toHaveLength(1);
  });

  it("[T16] [T9] resumes where it broke, as long as it makes progress", async () => {
    answers = [giveTagged(600_000)];
    const { content, progress } = await fetch({ delaysMs: [1] });
    expect(content.equals(large)).toBe(true);
    expect(requests.length).toBeGreaterThanOrEqual(7);
    expect(requests.slice(1).every(({ headers }) => headers["if-range"] === '"one"')).toBe(true);
    expect(progress.at(-1)).toBe(1);
  });

  it.each([
    { what: "has no parts to give", second: giveTagged(undefined, { hasParts: false }) },
    { what: "has another version by now", second: giveTagged(undefined, { etag: '"two"' }) },
    { what: "names no version", second: (response: ServerResponse) => response.end(large) },
  ])("[T16] is read again from the start where its server $what", async ({ second }) => {
    answers = [giveTagged(600_000), second];
    expect((await fetch()).content.equals(large)).toBe(true);
    expect(requests).toHaveLength(2);
  });

  it("[T11] [T16] stops with the Task while it waits for the next try", async () => {
    answers = [status(500)];
    const cancelled = new AbortController();
    const running = fetch({ delaysMs: [60_000], signal: cancelled.signal });
    await expect.poll(() => requests.length).toBe(1);
    cancelled.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it.each([
    { encoding: "gzip", encode: gzipSync },
    { encoding: "br", encode: brotliCompressSync },
    { encoding: "deflate", encode: deflateSync },
    { encoding: "gzip, br", encode: (content: Buffer) => brotliCompressSync(gzipSync(content)) },
    { encoding: "utf-8", encode: (content: Buffer) => content },
  ])("[T17] is decoded where it is sent as $encoding", async ({ encoding, encode }) => {
    answers = [(response) => response.writeHead(200, { "content-encoding": encoding }).end(encode(body))];
    expect((await fetch()).content.equals(body)).toBe(true);
  });

  it("[T17] is limited after decoding, and must match its declared encoding", async () => {
    const zeros = gzipSync(Buffer.alloc(6_000_000));
    answers = [(response) => response.writeHead(200, { "content-encoding": "gzip" }).end(zeros)];
    await expect(fetch()).rejects.toMatchObject({ code: 1007 });
    answers = [(response) => response.writeHead(200, { "content-encoding": "gzip" }).end(body)];
    await expect(fetch()).rejects.toMatchObject({ code: 1006 });
  });

  it("[T17] is limited between two encodings, and decoded at most five times over", async () => {
    // What the outer one expands, the inner one swallows: members of gzip without content.
    const swallowed = Buffer.alloc(6_000_000, gzipSync(""));
    answers = [
      (response) => response.writeHead(200, { "content-encoding": "gzip, gzip" }).end(gzipSync(swallowed)),
    ];
    await expect(fetch()).rejects.toMatchObject({ code: 1007 });
    const times = (count: number) => {
      let content = body;
      for (let n = 0; n < count; n++) content = gzipSync(content);
      const encoding = new Array(count).fill("gzip").join(",");
      answers = [(response) => response.writeHead(200, { "content-encoding": encoding }).end(content)];
    };
    times(5);
    expect((await fetch()).content.equals(body)).toBe(true);
    times(6);
    const message = expect.stringContaining("encoded 6 times over") as string;
    await expect(fetch()).rejects.toMatchObject({ code: 1006, message });
  });

  it("[T18] from a server with an untrusted certificate needs the operator", async () => {
    await using server = await startSelfSignedServer();
    const trusting = makeAddressGuard(["localhost", "127.0.0.1"]);
    const url = `${server.origin}/a.wav`;
    const download = { path, what: "input", maxBytes: 10, delaysMs: [1], onProgress: () => {} } as const;
    const signal = AbortSignal.timeout(10_000);
    await expect(
      fetchUrlFile({ guard: trusting }, { url, login: undefined }, { ...download, signal }),
    ).rejects.toMatchObject({ code: 9003, message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
    await trusting.close();
  });

  it("[T7] is limited as sent", async () => {
    answers = [give];
    await expect(fetch({ maxBytes: body.length - 1 })).rejects.toMatchObject({ code: 1007 });
    expect(requests).toHaveLength(1);
  });

  it("[U2] is opened with its URL's login, which no error reveals", async () => {
    answers = [
      (response, { headers }) => {
        const isKnown = headers.authorization === `Basic ${Buffer.from("ann:s3cret").toString("base64")}`;
        return isKnown ? response.end(body) : response.writeHead(401).end();
      },
    ];
    expect((await fetch({ login: "ann:s3cret" })).content.equals(body)).toBe(true);
    await expect(fetch({ login: "ann:wr0ng" })).rejects.toSatisfy(
      (error: Error & { code?: number }) => error.code === 1005 && !error.message.includes("wr0ng"),
    );
  });
});

describe("a URL at a forbidden host", () => {
  /** The failure for an input at that host, without the host's name. */
  async function failureAt(host: string) {
    const closed = makeAddressGuard([]);
    const failure: unknown = await fetchUrlFile(
      { guard: closed },
      { url: `https://${host}/a.wav`, login: undefined },
      {
        path,
        what: "input",
        maxBytes: 1000,
        delaysMs: [1],
        signal: AbortSignal.timeout(20_000),
        onProgress: () => {},
      },
    ).catch((error: unknown) => error);
    await closed.close();
    const { code, message } = failure as { code: number; message: string };
    return { code, message: message.replaceAll(host, "HOST") };
  }

  it("[U3] fails alike whether the name is private or unknown", async () => {
    const known = await failureAt("localhost");
    expect(known.code).toBe(1006);
    expect(await failureAt("no-such-host.invalid")).toEqual(known);
  });

  it("[U1] is refused by the private address that it names", async () => {
    expect(await failureAt("127.0.0.1")).toMatchObject({ code: 1005 });
  });
});
