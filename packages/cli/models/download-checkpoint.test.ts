import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { downloadCheckpoint } from "./download-checkpoint.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-download-"));
let content = Buffer.alloc(600_000, 1);
let requests: (string | undefined)[] = [];
let breaks = 0;

const server = createServer((request, response) => {
  const { range } = request.headers;
  requests.push(range);
  const body = content.subarray(Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0));
  if (request.url === "/gone.ckpt") response.writeHead(404).end();
  else {
    response.writeHead(range ? 206 : 200, { "content-length": body.length, etag: '"one"' });
    if (breaks-- > 0) response.write(body.subarray(0, body.length / 2), () => response.destroy());
    else response.end(body);
  }
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const download = (url: string, name: string) =>
  downloadCheckpoint(url, { folder: join(folder, name), pinsDir: join(folder, "pins"), backoffMs: 1 });

it("[S43] resumes with the next byte where the line breaks, and pins the sha256 of what arrived", async () => {
  breaks = 2;
  const { path, sha256, fileName } = await download(`${address}/a%20b.ckpt`, "first");
  expect(fileName).toBe("a b.ckpt");
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(requests).toEqual([
    undefined,
    expect.stringMatching(/^bytes=[1-9]/),
    expect.stringMatching(/^bytes=[1-9]/),
  ]);
  expect((await download(`${address}/a%20b.ckpt`, "first")).sha256).toBe(sha256);
  expect(requests).toHaveLength(3);
  content = Buffer.alloc(600_000, 2);
  await expect(download(`${address}/a%20b.ckpt`, "second")).rejects.toThrow(
    "pinned when it was first downloaded",
  );
});

it("[S43] a sha256 in the address must be that of the file", async () => {
  const { sha256 } = await download(`${address}/b.ckpt`, "third");
  await expect(download(`${address}/c.ckpt#sha256=${"0".repeat(64)}`, "third")).rejects.toThrow(
    "was asked for",
  );
  expect((await download(`${address}/d.ckpt#sha256=${sha256.toUpperCase()}`, "third")).sha256).toBe(sha256);
  await expect(download(`${address}/d.ckpt#part`, "third")).rejects.toThrow("only sha256=");
});

it("[S43] what is gone is said at once", async () => {
  await expect(download(`${address}/gone.ckpt`, "fourth")).rejects.toThrow("answers 404");
  expect(requests).toHaveLength(1);
});
