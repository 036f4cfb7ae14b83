import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { get, METHODS, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { apiErrorBody } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApi } from "../../../test/support/openapi.ts";
import { openRawConnection, type RawConnection } from "../../../test/support/raw-connection.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../test/support/test-api.ts";

const METRICS_TOKEN = "a-token-for-the-collector";
let api: TestApi;
let admin: TestAccount;
beforeAll(async () => {
  api = await startTestApi({
    REQUEST_TIMEOUT_SECONDS: "1",
    IDLE_TIMEOUT_SECONDS: "2",
    UPLOAD_MIN_BYTES_PER_SECOND: "4",
    METRICS_TOKEN,
  });
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());

/** The body of the last response on a raw connection, checked against the error schema. */
const errorIn = (text: string) =>
  apiErrorBody.parse(JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4)));

describe("GET /models", () => {
  it("[M5] is 304 for a client that has it, and not for another with other terms", async () => {
    const first = await api.call("/models");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{20,}"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
      const again = await api.call("/models", { headers: { "if-none-match": known } });
      expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, tag, ""]);
    }
    expect((await api.call("/models", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    const client = await api.addAccount();
    await api.call(`/admin/clients/${client.clientId}/models/vocals`, {
      method: "PUT",
      key: admin.key,
      body: JSON.stringify({ creditsPerMinute: 7 }),
      headers: { "content-type": "application/json" },
    });
    const theirs = await api.call("/models", { key: client.key, headers: { "if-none-match": tag } });
    expect(theirs.status).toBe(200);
    expect(theirs.headers.get("etag")).not.toBe(tag);
    const head = await api.call("/models", { method: "HEAD", headers: { "if-none-match": tag } });
    expect(head.status).toBe(304);
  });
});

describe("compression", () => {
  /** The raw bytes; fetch would decompress them. */
  const load = (path: string, encodings: string) =>
    new Promise<{ encoding: string | undefined; vary: string | undefined; body: Buffer }>(
      (resolve, reject) => {
        const headers = { "accept-encoding": encodings, "x-api-key": api.account.key };
        get(new URL(path, api.address), { headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const { "content-encoding": encoding, vary } = response.headers;
            resolve({ encoding, vary, body: Buffer.concat(chunks) });
          });
        }).on("error", reject);
      },
    );

  it("[G10] compresses long JSON as the client accepts it", async () => {
    const plain = await load("/models", "identity");
    expect(plain.encoding).toBeUndefined();
    const brotli = await load("/models", "gzip, br");
    expect([brotli.encoding, brotli.vary]).toEqual(["br", "x-api-key, accept-encoding"]);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    const gzip = await load("/models", "gzip");
    expect(gzip.encoding).toBe("gzip");
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(gzip.body.length).toBeLessThan(plain.body.length / 4);
  });

  it("[G10] leaves short responses and files uncompressed", async () => {
    expect((await load("/health/live", "gzip, br")).encoding).toBeUndefined();
    const text = "words ".repeat(2000);
    const { link } = (await (await api.upload(text, "words.txt")).json()) as { link: string };
    const file = await load(link, "gzip, br");
    expect([file.encoding, file.body.toString()]).toEqual([undefined, text]);
  });
});

describe("HEAD and OPTIONS", () => {
  it("[G11] [G4] work on every route", async () => {
    const { paths } = (await (await api.call("/openapi.json")).json()) as OpenApi;
    const routes = [
      ...Object.entries(paths),
      ...["/", "/docs", "/openapi.json"].map((path) => [path, { get: {} }] as const),
    ];
    for (const [template, methods] of routes) {
      const path = template.replaceAll(/\{[^}]+\}/g, "unknown-thing");
      const headers = {
        origin: "https://app.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      };
      for (const asked of [{}, headers]) {
        const options = await api.call(path, { method: "OPTIONS", key: null, headers: asked });
        expect([path, options.status]).toEqual([path, 204]);
        const allowed = options.headers.get("allow")?.split(", ");
        for (const method of Object.keys(methods)) expect(allowed).toContain(method.toUpperCase());
        expect(options.headers.get("access-control-allow-origin")).toBe("*");
        expect(options.headers.get("access-control-allow-methods")).toBe(options.headers.get("allow"));
      }
      const head = await api.call(path, { method: "HEAD", key: admin.key });
      expect(await head.text()).toBe("");
      const expected = "get" in methods ? (await api.call(path, { key: admin.key })).status : 405;
      expect([path, head.status]).toEqual([path, expected]);
    }
  });
});

describe("methods that no route has", () => {
  const send = (path: string, method: string) =>
    new Promise<{ status: number | undefined; allow: string | undefined; body: string }>(
      (resolve, reject) => {
        const sent = request(new URL(path, api.address), { method }, (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text: string) => {
            body += text;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode, allow: response.headers.allow, body }),
          );
        });
        sent.on("error", reject).end();
      },
    );

  it.each(METHODS.filter((method) => !["CONNECT", "GET", "HEAD", "OPTIONS", "POST"].includes(method)))(
    "[E2] %s is 405 with Allow",
    async (method) => {
      const { status, allow, body } = await send("/tasks", method);
      expect([status, allow?.split(", ").sort()]).toEqual([405, ["GET", "HEAD", "OPTIONS", "POST"]]);
      expect(JSON.parse(body)).toMatchObject({ code: "METHOD_NOT_ALLOWED", statusCode: 405 });
      expect((await send("/no/route", method)).status).toBe(404);
    },
  );

  it("[E2] [G4] OPTIONS of an unknown route is 404 without a key, open to any origin", async () => {
    const response = await api.call("/no/route", { method: "OPTIONS", key: null });
    expect(response.status).toBe(404);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("slow clients", () => {
  it("[G12] [E8] slow headers are 408", async () => {
    const connection = openRawConnection(api.address, "GET /models HTTP/1.1\r\nhost: x\r\nx-slow: ");
    const { text, openMs } = await connection.closed;
    expect(errorIn(text).code).toBe("REQUEST_TIMEOUT");
    expect(openMs).toBeLessThan(3000);
  });

  it("[G12] a slow JSON body is 408, however steadily it trickles", async () => {
    const head = `POST /tasks HTTP/1.1\r\nhost: x\r\nx-api-key: ${api.account.key}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{`;
    const connection = openRawConnection(api.address, head);
    const trickle = setInterval(() => connection.socket.write(" "), 100);
    const { text, openMs } = await connection.closed;
    clearInterval(trickle);
    expect(errorIn(text).code).toBe("REQUEST_TIMEOUT");
    expect(openMs).toBeGreaterThan(900);
    expect(openMs).toBeLessThan(3000);
  });

  const startUpload = (
    sizeBytes: number,
    { address, account } = api,
    { filename = "slow.wav", connection = "close", key = account.key } = {},
  ) => {
    const part = `--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`;
    const end = "\r\n--x--\r\n";
    const length = part.length + sizeBytes + end.length;
    const head = `POST /assets HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\nx-api-key: ${key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${length}\r\n\r\n`;
    return { connection: openRawConnection(address, head + part), end };
  };

  it("[G12] an upload may take longer, as long as bytes keep coming", async () => {
    const { connection, end } = startUpload(64);
    for (let i = 0; i < 8; i += 1) {
      await wait(400);
      connection.socket.write("xxxxxxxx");
    }
    connection.socket.write(end);
    const { text, openMs } = await connection.closed;
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(openMs).toBeGreaterThan(3000);
  });

  const countFiles = async (dataDir: string) => {
    const entries = await readdir(join(dataDir, "blobs"), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  };

  it("[G12] [A2] an upload that only trickles is 408, and nothing of it is kept", async () => {
    const before = await countFiles(api.dataDir);
    const { connection } = startUpload(1000);
    const trickle = setInterval(() => connection.socket.write("x"), 500);
    const { text, openMs } = await connection.closed;
    clearInterval(trickle);
    expect(errorIn(text).code).toBe("REQUEST_TIMEOUT");
    expect(openMs).toBeLessThan(5000);
    await expect.poll(() => countFiles(api.dataDir)).toBe(before);
  });

  it("[G12] [A2] an upload that stops moving is closed, and nothing of it is kept", async () => {
    const patient = await startTestApi({ IDLE_TIMEOUT_SECONDS: "2", UPLOAD_MIN_BYTES_PER_SECOND: "0" });
    const { connection } = startUpload(1000, patient);
    const { openMs } = await connection.closed;
    expect(openMs).toBeGreaterThan(1900);
    expect(openMs).toBeLessThan(5000);
    await expect.poll(() => countFiles(patient.dataDir)).toBe(0);
    await patient.close();
  });

  it.each([
    ["keep-alive", 400, { filename: "words.xyz" }],
    ["close", 400, { filename: "words.xyz" }],
    ["keep-alive", 401, { key: "sw_nobody" }],
    ["close", 401, { key: "sw_nobody" }],
  ])(
    "[A2] the rest of an upload that is refused is read, for clients that read nothing before all is sent: %s, %i",
    async (connection, status, upload) => {
      const sizeBytes = 12_000_000;
      const refused = startUpload(sizeBytes, api, { ...upload, connection });
      refused.connection.socket.pause();
      await new Promise((resolve) => refused.connection.socket.write(Buffer.alloc(sizeBytes), resolve));
      // A rejected request leaves a kept-alive connection usable.
      const next = `GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      refused.connection.socket.write(connection === "close" ? refused.end : refused.end + next);
      refused.connection.socket.resume();
      const { text } = await refused.connection.closed;
      const answers = [`HTTP/1.1 ${status}`, ...(connection === "close" ? [] : ["HTTP/1.1 200"])];
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(answers);
    },
  );

  it("[S2] requests in flight delay shutdown by a few seconds at most", async () => {
    const stopping = await startTestApi();
    const { connection } = startUpload(1_000_000, stopping);
    const trickle = setInterval(() => connection.socket.write("x".repeat(1000)), 100);
    await expect.poll(() => countFiles(stopping.dataDir)).toBe(1);
    const startMs = performance.now();
    await stopping.close();
    clearInterval(trickle);
    expect(performance.now() - startMs).toBeLessThan(9000);
    await connection.closed;
  });
});

describe("invalid requests", () => {
  it.each([
    ["REQUEST_INVALID", 400, "hello\r\n\r\n"],
    ["REQUEST_INVALID", 400, "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"],
    ["HEADERS_TOO_LARGE", 431, `GET /models HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`],
  ])("[E8] [G13] is refused with %s", async (code, status, text) => {
    const { text: answer } = await openRawConnection(api.address, text).closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body = errorIn(answer);
    expect([body.code, body.statusCode]).toEqual([code, status]);
    expect(answer).toContain(`x-request-id: ${body.requestId}`);
  });
});

describe("requests that two servers could read differently", () => {
  const BODY = '{"a":1}';
  const post = (...headers: string[]) =>
    ["POST /tasks HTTP/1.1", "host: x", "content-type: application/json", ...headers, "", ""].join("\r\n");
  const chunks = `7\r\n${BODY}\r\n0\r\n\r\n`;

  it.each([
    ["two Host headers", "GET /models HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"],
    ["the same Host twice", "GET /models HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"],
    ["two Host headers in HTTP/1.0", "GET /models HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n"],
    ["no Host", "GET /models HTTP/1.1\r\n\r\n"],
    ["an empty Host", "GET /models HTTP/1.1\r\nhost:\r\n\r\n"],
    ["a list of hosts", "GET /models HTTP/1.1\r\nhost: a, b\r\n\r\n"],
    ["a path in Host", "GET /models HTTP/1.1\r\nhost: a/b\r\n\r\n"],
    ["a user in Host", "GET /models HTTP/1.1\r\nhost: u@a\r\n\r\n"],
    ["two lengths", `${post("content-length: 7", "content-length: 3")}${BODY}`],
    ["the same length twice", `${post("content-length: 7", "content-length: 7")}${BODY}`],
    ["a list of lengths", `${post("content-length: 7, 7")}${BODY}`],
    ["a signed length", `${post("content-length: +7")}${BODY}`],
    ["chunks and a length", `${post("content-length: 7", "transfer-encoding: chunked")}${chunks}`],
    ["a length and chunks", `${post("transfer-encoding: chunked", "content-length: 7")}${chunks}`],
    ["chunks twice", `${post("transfer-encoding: chunked", "transfer-encoding: chunked")}${chunks}`],
    ["chunks that are not the last coding", `${post("transfer-encoding: chunked, identity")}${chunks}`],
    ["a coding below the chunks", `${post("transfer-encoding: gzip, chunked")}${chunks}`],
    ["an unknown coding", `${post("transfer-encoding: xchunked")}${chunks}`],
    ["a coding behind a vertical tab", `${post("transfer-encoding: \x0bchunked")}${chunks}`],
    ["a space before the colon", `${post("transfer-encoding : chunked")}${chunks}`],
    ["chunks in HTTP/1.0", `${post("transfer-encoding: chunked").replace("HTTP/1.1", "HTTP/1.0")}${chunks}`],
    ["a folded header", "GET /models HTTP/1.1\r\nhost: a\r\nx: 1\r\n 2\r\n\r\n"],
    ["a header folded with a tab", "GET /models HTTP/1.1\r\nhost: a\r\nx: 1\r\n\t2\r\n\r\n"],
    ["a folded coding", `${post("transfer-encoding:", " chunked")}${chunks}`],
    ["a first header that is folded", "GET /models HTTP/1.1\r\n host: a\r\n\r\n"],
    ["bare line feeds", "GET /models HTTP/1.1\nhost: a\n\n"],
    ["one bare line feed", "GET /models HTTP/1.1\r\nhost: a\nx: 1\r\n\r\n"],
    ["a bare carriage return", "GET /models HTTP/1.1\r\nhost: a\rx: 1\r\n\r\n"],
    ["a NUL in a header", "GET /models HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n"],
    ["a header without a name", "GET /models HTTP/1.1\r\nhost: a\r\n: x\r\n\r\n"],
    ["two content types", `${post("content-type: text/plain", "content-length: 7")}${BODY}`],
    ["two tokens", "GET /job HTTP/1.1\r\nhost: a\r\nauthorization: a\r\nauthorization: b\r\n\r\n"],
    ["two keys", "GET /tasks HTTP/1.1\r\nhost: a\r\nx-api-key: a\r\nx-api-key: b\r\n\r\n"],
    [
      "two idempotency keys",
      `${post("idempotency-key: a", "idempotency-key: b", "content-length: 7")}${BODY}`,
    ],
    ["HTTP/0.9", "GET /models\r\n\r\n"],
    ["HTTP/2.0 as text", "GET /models HTTP/2.0\r\nhost: a\r\n\r\n"],
    ["a path that can't be decoded", "GET /%zz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"],
  ])("[G16] [E8] %s is 400, and the connection ends", async (_title, text) => {
    const next = "GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    const { text: answer } = await openRawConnection(api.address, text + next).closed;
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    expect(errorIn(answer).code).toBe("REQUEST_INVALID");
  });

  it.each([
    ["an IPv6 host", "GET /health/live HTTP/1.1\r\nhost: [::1]:8080\r\nconnection: close\r\n\r\n"],
    ["a host with underscores", "GET /health/live HTTP/1.1\r\nhost: api_1:80\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.0 without a host", "GET /health/live HTTP/1.0\r\n\r\n"],
    ["an absolute URL", "GET http://x/health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
  ])("[G16] %s is served", async (_title, text) => {
    expect((await openRawConnection(api.address, text).closed).text).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("connections", () => {
  const opened: RawConnection[] = [];
  const open = (address: string, text?: string) => {
    const connection = openRawConnection(address, text);
    opened.push(connection);
    return connection;
  };
  /** Stops a service without the grace period for requests in flight. */
  const hangUp = async (service: TestApi) => {
    for (const { socket } of opened.splice(0)) socket.destroy();
    await service.close();
  };
  const GET_HEALTH = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
  const GET_MODELS = "GET /models HTTP/1.1\r\nhost: x\r\n\r\n";
  /** A request that stays in flight until its body arrives. */
  const startRequest = ({ address, account }: TestApi) =>
    open(
      address,
      `POST /tasks HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nx-api-key: ${account.key}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
    );
  const statusOf = ({ received }: RawConnection) => /^HTTP\/1.1 (\d+)/.exec(received())?.[1];
  const holdBusy = async (busy: TestApi, count: number) => {
    const held = Array.from({ length: count }, () => startRequest(busy));
    for (const connection of held) await expect.poll(() => statusOf(connection)).toBe("100");
    return held;
  };
  const openSilent = async (address: string, count: number) => {
    const held = Array.from({ length: count }, () => open(address));
    await Promise.all(held.map(({ socket }) => socket.connecting && once(socket, "connect")));
    return held;
  };
  const LIMITS = [
    ["of all", { CONNECTIONS_MAX: "3" }],
    ["of an address", { CONNECTIONS_PER_ADDRESS: "3" }],
  ] as const;

  it.each(LIMITS)("[G13] %s that send nothing are closed, the oldest first", async (_whose, limits) => {
    const small = await startTestApi(limits);
    const silent = await openSilent(small.address, 3);
    const newcomer = open(small.address, GET_MODELS);
    await expect.poll(() => statusOf(newcomer)).toBe("200");
    await silent[0]?.closed;
    expect(silent.map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
    // The new connection is idle now, and is closed after those that never sent a request.
    const [next] = await openSilent(small.address, 1);
    await silent[1]?.closed;
    const last = await holdBusy(small, 2);
    await silent[2]?.closed;
    await next?.closed;
    expect(newcomer.socket.destroyed).toBe(false);
    await holdBusy(small, 1);
    await newcomer.closed;
    expect(last.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    await hangUp(small);
  });

  it.each(LIMITS)("[G13] [G8] %s that are all busy leave health checks alone", async (_whose, limits) => {
    const small = await startTestApi(limits);
    const held = await holdBusy(small, 3);
    const refused = await open(small.address, GET_MODELS).closed;
    expect(refused.text).toMatch(/^HTTP\/1.1 503 /);
    expect(refused.text.toLowerCase()).toContain("retry-after: 5");
    expect(errorIn(refused.text).code).toBe("UNAVAILABLE");
    for (let i = 0; i < 100; i += 1)
      expect((await open(small.address, GET_HEALTH).closed).text).toMatch(/^HTTP\/1.1 200 /);
    held[0]?.socket.destroy();
    await expect
      .poll(async () => {
        const connection = open(
          small.address,
          GET_MODELS.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"),
        );
        return (await connection.closed).text.slice(0, 12);
      })
      .toBe("HTTP/1.1 200");
    await hangUp(small);
  });

  it("[G13] of a trusted proxy are not limited by address", async () => {
    const proxied = await startTestApi({ CONNECTIONS_PER_ADDRESS: "2", TRUST_PROXY: "127.0.0.0/8" });
    await holdBusy(proxied, 5);
    expect((await proxied.call("/models")).status).toBe(200);
    await hangUp(proxied);
  });

  it("[G12] that send nothing are closed soon, however long others may take", async () => {
    const quick = await startTestApi({ FIRST_BYTE_TIMEOUT_SECONDS: "1" });
    const silent = open(quick.address);
    const slow = open(quick.address, "GET /models HTTP/1.1\r\n");
    const idle = open(quick.address, GET_MODELS);
    const { text, openMs } = await silent.closed;
    expect(text).toBe("");
    expect(openMs).toBeGreaterThan(900);
    expect(openMs).toBeLessThan(5000);
    expect([slow.socket.destroyed, idle.socket.destroyed]).toEqual([false, false]);
    await hangUp(quick);
  });

  it("[G13] [G8] 600 silent ones do not block others", async () => {
    const flooded = await startTestApi({ CONNECTIONS_PER_ADDRESS: "100" });
    const silent = await openSilent(flooded.address, 600);
    for (const path of ["/health/live", "/health/ready", "/models"])
      expect((await fetch(new URL(path, flooded.address))).status).toBe(200);
    await expect.poll(() => silent.filter(({ socket }) => !socket.destroyed).length).toBeLessThanOrEqual(100);
    await hangUp(flooded);
  });
});

describe("stopping", () => {
  it("[E8] requests on open connections get 503 with Retry-After", async () => {
    const stopping = await startTestApi();
    const head = `POST /tasks HTTP/1.1\r\nhost: x\r\nx-api-key: ${stopping.account.key}\r\ncontent-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n{`;
    const connection = openRawConnection(stopping.address, head);
    await expect.poll(() => connection.received()).toContain("HTTP/1.1 100 ");
    const halfAsked = openRawConnection(stopping.address, "GET /models HTTP/1.1\r\n");
    await once(halfAsked.socket, "connect");
    // Answered after it, so the partial request above has been read.
    expect((await stopping.call("/health/live")).status).toBe(200);
    const closing = stopping.close();
    const isOpen = () =>
      fetch(new URL("/health/live", stopping.address)).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isOpen).toBe(false);
    connection.socket.write("}");
    halfAsked.socket.write("host: x\r\n\r\n");
    const underWay = await connection.closed;
    const { text } = await halfAsked.closed;
    await closing;
    expect(underWay.text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 400"]);
    expect(text).toMatch(/^HTTP\/1.1 503 /);
    expect(text.toLowerCase()).toContain("retry-after: 5");
    expect(errorIn(text).code).toBe("UNAVAILABLE");
  });
});

describe("metrics", () => {
  const load = (init: { key?: string | null; headers?: Record<string, string> }) =>
    api.call("/metrics", init);

  it("[G14] are for administrators and for the holder of the token", async () => {
    expect((await load({ key: admin.key })).status).toBe(200);
    expect((await load({ key: null, headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).status).toBe(
      200,
    );
    for (const headers of [{}, { authorization: "Bearer nope" }, { authorization: METRICS_TOKEN }] as Record<
      string,
      string
    >[])
      expect((await load({ key: null, headers })).status).toBe(401);
    expect((await load({})).status).toBe(403);
  });

  it("[G14] count requests by route, and report targets, queues, workers and memory", async () => {
    await api.call("/tasks/unknown-thing");
    const response = await load({ key: admin.key });
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    for (const line of [
      /^stemwright_http_requests_total\{method="GET",route="\/tasks\/:id",status="404"\} [1-9]\d*$/m,
      /^stemwright_http_request_duration_seconds_bucket\{le="\+Inf",method="GET",route="\/tasks\/:id"\} [1-9]\d*$/m,
      /^stemwright_queue_jobs\{queue="task",state="waiting"\} \d+$/m,
      /^stemwright_workers_alive 0$/m,
      /^stemwright_process_memory_bytes \d{7,}$/m,
    ])
      expect(text).toMatch(line);
    for (const line of text.split("\n").filter((each) => each !== ""))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    expect(text).not.toContain(api.account.clientId);
  });
});
