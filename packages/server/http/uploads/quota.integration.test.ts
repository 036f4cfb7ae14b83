import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { asset as assetSchema, type Client } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { makeFlacBomb } from "../../../../test/support/flac-bomb.ts";
import { openRawConnection } from "../../../../test/support/raw-connection.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../test/support/test-api.ts";

const QUOTA_BYTES = 500_000;
let api: TestApi;
let admin: TestAccount;
let account: TestAccount;
beforeAll(async () => {
  api = await startTestApi({ STORAGE_QUOTA_BYTES: String(QUOTA_BYTES), DECODED_MAX_BYTES: "10000000" });
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
});

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code?: string }).code,
];
const findClient = async () =>
  (await (await api.call(`/admin/clients/${account.clientId}`, { key: admin.key })).json()) as Client;
const setQuota = async (storageQuotaBytes: number | "default") => {
  const response = await api.call(`/admin/clients/${account.clientId}`, {
    method: "PATCH",
    key: admin.key,
    body: JSON.stringify({ storageQuotaBytes }),
    headers: { "content-type": "application/json" },
  });
  return [response.status, ((await response.json()) as Client).storageQuotaBytes];
};
const upload = (sizeBytes: number) => api.upload(new Uint8Array(sizeBytes), "a.wav", account);
const countFiles = async () => {
  const entries = await readdir(join(api.dataDir, "blobs"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
};
const OVER = [413, "STORAGE_QUOTA_EXCEEDED"];

describe("a storage quota", () => {
  it("[P5] refuses an upload that exceeds it and stores nothing, until there is room again", async () => {
    const { id } = assetSchema.parse(await (await upload(300_000)).json());
    const files = await countFiles();
    const refused = await upload(200_001);
    const message = ((await refused.clone().json()) as { message: string }).message;
    expect(await codeOf(refused)).toEqual(OVER);
    expect(message).toBe(
      "There is no room for it: 300000 of the 500000 bytes that the account may store are taken. Delete assets or Tasks, or ask the operator for more",
    );
    expect(await countFiles()).toBe(files);
    expect((await upload(200_000)).status).toBe(200);
    expect(await codeOf(await upload(1))).toEqual(OVER);
    expect((await findClient()).storage).toEqual({ assetsBytes: 500_000, outputsBytes: 0, heldBytes: 0 });
    await api.call(`/assets/${id}`, { method: "DELETE", key: account.key });
    expect((await findClient()).storage).toEqual({ assetsBytes: 200_000, outputsBytes: 0, heldBytes: 0 });
    expect((await upload(300_000)).status).toBe(200);
  });

  it("[P4] [P5] holds for concurrent uploads, and admits what fits", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => upload(100_000)));
    const accepted = responses.filter(({ status }) => status === 200).length;
    expect(accepted).toBeGreaterThanOrEqual(4);
    expect(accepted).toBeLessThanOrEqual(5);
    for (const response of responses)
      if (response.status !== 200) expect(await codeOf(response)).toEqual(OVER);
    expect((await findClient()).storage).toEqual({
      assetsBytes: accepted * 100_000,
      outputsBytes: 0,
      heldBytes: 0,
    });
  });

  it("[P5] holds for uploads of unknown length", async () => {
    const send = async (sizeBytes: number) => {
      const connection = openRawConnection(
        api.address,
        `POST /assets HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${account.key}\r\ncontent-type: multipart/form-data; boundary=x\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const writeChunk = (text: string | Buffer) => {
        connection.socket.write(`${Buffer.byteLength(text).toString(16)}\r\n`);
        connection.socket.write(text);
        connection.socket.write("\r\n");
      };
      writeChunk('--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
      for (let left = sizeBytes; left > 0; left -= 50_000) writeChunk(Buffer.alloc(Math.min(left, 50_000)));
      writeChunk("\r\n--x--\r\n");
      connection.socket.write("0\r\n\r\n");
      return (await connection.closed).text.slice(0, 12);
    };
    expect(await send(400_000)).toBe("HTTP/1.1 200");
    expect(await send(100_001)).toBe("HTTP/1.1 413");
    expect((await findClient()).storage).toEqual({ assetsBytes: 400_000, outputsBytes: 0, heldBytes: 0 });
    expect(await send(100_000)).toBe("HTTP/1.1 200");
  });

  it("[P5] releases the hold of a broken upload", async () => {
    const connection = openRawConnection(
      api.address,
      `POST /assets HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 400000\r\n\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nabc`,
    );
    await expect.poll(async () => (await findClient()).storage.heldBytes).toBe(400_000);
    connection.socket.destroy();
    await expect.poll(async () => (await findClient()).storage.heldBytes).toBe(0);
    expect((await upload(QUOTA_BYTES)).status).toBe(200);
  });

  it("[P4] [D2] is individual, the setting's, or none", async () => {
    expect((await findClient()).storageQuotaBytes).toBe(null);
    expect(await setQuota(0)).toEqual([200, 0]);
    expect((await upload(QUOTA_BYTES + 1)).status).toBe(200);
    expect(await setQuota(QUOTA_BYTES + 2)).toEqual([200, QUOTA_BYTES + 2]);
    expect(await codeOf(await upload(2))).toEqual(OVER);
    expect((await upload(1)).status).toBe(200);
    expect(await setQuota("default")).toEqual([200, null]);
    for (const wrong of [-1, 1.5, 2 ** 60]) expect((await setQuota(wrong))[0]).toBe(400);
  });

  const createTask = (body: object, path = "/tasks") =>
    api.post(path, { ...body, targets: [{ model: "vocals", formats: ["wav"] }] }, account);

  it("[P6] refuses a Task whose decoded input does not fit, and any Task if the quota is used up", async () => {
    const mp3Like = makeFlacBomb({ sampleRateHz: 8000, channels: 1, lengthFrames: 200_000 });
    const { id } = assetSchema.parse(await (await api.upload(mp3Like, "a.flac", account)).json());
    for (const path of ["/tasks", "/tasks/estimate"])
      expect(await codeOf(await createTask({ assetId: id }, path))).toEqual(OVER);
    await setQuota(900_000);
    expect((await createTask({ assetId: id })).status).toBe(200);
    await setQuota(mp3Like.length);
    expect(await codeOf(await createTask({ url: "https://example.com/a.wav" }))).toEqual(OVER);
    await setQuota(mp3Like.length + 1);
    expect((await createTask({ url: "https://example.com/a.wav" })).status).toBe(200);
  });
});

describe("an asset that is much larger when decoded", () => {
  it("[T20] is refused when a Task is created with it", async () => {
    await setQuota(0);
    const bomb = makeFlacBomb({ sampleRateHz: 48_000, channels: 2, lengthFrames: 1_250_001 });
    expect(bomb.length).toBeLessThan(1000);
    const { id } = assetSchema.parse(await (await api.upload(bomb, "a.flac", account)).json());
    const targets = [{ model: "vocals", formats: ["wav"] }];
    for (const path of ["/tasks", "/tasks/estimate"])
      expect(await codeOf(await api.post(path, { assetId: id, targets }, account))).toEqual([
        400,
        "MEDIA_TOO_LARGE",
      ]);
    const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
    const small = assetSchema.parse(await (await api.upload(song, "a.wav", account)).json());
    expect((await api.post("/tasks", { assetId: small.id, targets }, account)).status).toBe(200);
  });
});
