import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { makeTempDir } from "../../test/support/temp-dir.ts";

const SIZE_BYTES = 400 * 1024 ** 2;
/** An idle Node with the SDK takes about 80 MB. */
const MAX_PEAK_BYTES = 200 * 1024 ** 2;

it("[A2] files are uploaded and downloaded in constant memory", async () => {
  const folder = await makeTempDir("sdk-memory");
  const path = join(folder, "song.wav");
  await writeFile(path, "");
  await truncate(path, SIZE_BYTES);
  let uploadedBytes = 0;
  const server = createServer(async (request, response) => {
    for await (const chunk of request) uploadedBytes += (chunk as Buffer).length;
    // Large files are sent in pieces.
    if (request.url?.startsWith("/uploads?")) return response.end("[]");
    if (request.url === "/uploads") return response.writeHead(201, { location: "/uploads/u1" }).end();
    if (request.method === "PATCH") return response.writeHead(204, { "upload-offset": uploadedBytes }).end();
    if (request.method === "POST") return response.end('{"id":"a1"}');
    response.writeHead(200, { "content-length": SIZE_BYTES });
    const block = Buffer.alloc(1024 ** 2);
    for (let sent = 0; sent < SIZE_BYTES; sent += block.length)
      if (!response.write(block)) await once(response, "drain");
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const program = `
    const { Stemwright } = await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
    const client = new Stemwright({ baseUrl: ${JSON.stringify(baseUrl)} });
    await client.assets.upload("song.wav");
    const uploadPeak = process.resourceUsage().maxRSS * 1024;
    await client.assets.save({ id: "a1", link: client.baseUrl + "/file" }, "again.wav");
    console.log(JSON.stringify([uploadPeak, process.resourceUsage().maxRSS * 1024]));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const peaks = JSON.parse(await text(child.stdout)) as number[];
  server.closeAllConnections();
  server.close();
  expect(uploadedBytes).toBe(SIZE_BYTES);
  expect((await stat(join(folder, "again.wav"))).size).toBe(SIZE_BYTES);
  for (const peak of peaks) expect(peak).toBeLessThan(MAX_PEAK_BYTES);
  await rm(folder, { recursive: true });
});
