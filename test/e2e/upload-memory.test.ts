import { rm } from "node:fs/promises";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  listServiceProcesses,
  readPeakMemoryBytes,
  SERVICE_KEY,
  type Service,
  startService,
} from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const GIGABYTE = 1024 ** 3;
const MAX_ADDED_BYTES = 50 * 1024 ** 2;

let dataDir: string;
let service: Service;
beforeAll(async () => {
  dataDir = await makeTempDir("upload");
  service = await startService({ dataDir, environment: { WORKERS: "0" } });
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends a file of zeros of any size without buffering it. */
function upload(sizeBytes: number): Promise<{ size: number }> {
  const head = Buffer.from(
    '--x\r\ncontent-disposition: form-data; name="file"; filename="zeros.wav"\r\n\r\n',
  );
  const tail = Buffer.from("\r\n--x--\r\n");
  const block = Buffer.alloc(1024 ** 2);
  return new Promise((resolve, reject) => {
    const call = request(new URL("/assets", service.address), {
      method: "POST",
      headers: {
        "x-api-key": SERVICE_KEY,
        "content-type": "multipart/form-data; boundary=x",
        "content-length": head.length + sizeBytes + tail.length,
      },
    });
    call.on("error", reject);
    call.on("response", async (response) => {
      let body = "";
      for await (const chunk of response) body += chunk;
      resolve(JSON.parse(body) as { size: number });
    });
    call.write(head);
    let leftBytes = sizeBytes;
    const send = () => {
      while (leftBytes > 0) {
        const piece = block.subarray(0, Math.min(block.length, leftBytes));
        leftBytes -= piece.length;
        if (!call.write(piece)) return void call.once("drain", send);
      }
      call.end(tail);
    };
    send();
  });
}

it("[A2] a gigabyte goes to the store in constant memory", async () => {
  const [api] = await listServiceProcesses(dataDir, "all");
  if (!api) throw new Error("the API's process was not found");
  // A small upload first loads the code and buffers that any upload needs.
  await upload(16 * 1024 ** 2);
  const before = await readPeakMemoryBytes(api.pid);
  expect((await upload(GIGABYTE)).size).toBe(GIGABYTE);
  const after = await readPeakMemoryBytes(api.pid);
  console.log(
    `API peak memory: ${Math.round(before / 1024 ** 2)} MB before, ${Math.round(after / 1024 ** 2)} MB after 1 GB`,
  );
  expect(after - before).toBeLessThan(MAX_ADDED_BYTES);
});
