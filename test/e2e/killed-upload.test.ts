import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Stemwright } from "../../packages/sdk/index.ts";
import { SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const MIB = 1024 ** 2;
const FILE_BYTES = 200 * MIB;
let dataDir: string;
let service: Service | undefined;
afterAll(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

it("[A8] an upload goes on through three SIGKILLs of the service, and loses less than a second's bytes with each", async () => {
  dataDir = await makeTempDir("killed-upload");
  const file = Buffer.concat(Array.from({ length: FILE_BYTES / MIB }, () => randomBytes(MIB)));
  const path = join(dataDir, "film.wav");
  await writeFile(path, file);
  const environment = { PORT: String(await findFreePort()), WORKERS: "0" };
  const start = () => startService({ dataDir: join(dataDir, "service"), environment });
  service = await start();

  let sentBytes = 0;
  const slow: typeof fetch = async (url, init) => {
    const body = (init?.body as ReadableStream<Uint8Array> | undefined)?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          sentBytes += chunk.length;
          // About 30 MB a second, so that a kill meets a piece in the middle.
          await new Promise((resolve) => setTimeout(resolve, chunk.length / 30_000));
          controller.enqueue(chunk);
        },
      }),
    );
    return await fetch(url, { ...init, ...(body && { body }) } as RequestInit);
  };
  const client = new Stemwright({
    baseUrl: service.address,
    apiKey: SERVICE_KEY,
    fetch: slow,
    maxRetries: 8,
  });
  const uploaded = client.assets.upload(path);
  uploaded.catch(() => {});
  for (const killAtBytes of [30 * MIB, 80 * MIB, 140 * MIB]) {
    await expect.poll(() => sentBytes, { timeout: 240_000, interval: 20 }).toBeGreaterThan(killAtBytes);
    const exited = once(service.process, "exit");
    process.kill(-(service.process.pid ?? 0), "SIGKILL");
    await exited;
    service = await start();
  }
  const { id, size } = await uploaded;
  expect(size).toBe(FILE_BYTES);
  const stored = await (await client.assets.download(await client.assets.get(id))).arrayBuffer();
  expect(sha256(new Uint8Array(stored))).toBe(sha256(file));
  expect(await client.uploads.list().toArray()).toEqual([]);
  // What was on its way, and a second of it unrecorded.
  expect(sentBytes - FILE_BYTES).toBeLessThan(3 * 45 * MIB);
});
