import { asset as assetSchema } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { openRawConnection } from "../../../../test/support/raw-connection.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ REQUESTS_AT_ONCE: "4", UPLOADS_AT_ONCE: "2", PROBES_AT_ONCE: "1" });
});
afterAll(() => api.close());

const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

/** Does something while assets are locked against reads. */
async function whileHeld(work: () => Promise<void>): Promise<void> {
  const holder = await api.database.pool.connect();
  try {
    await holder.query("begin; lock table assets in access exclusive mode");
    await work();
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

describe("more requests than the service can handle", () => {
  it("[E10] [G8] are refused at once or after a short wait, and health checks are not", async () => {
    await api.upload("x", "a.wav");
    await whileHeld(async () => {
      const startMs = performance.now();
      const requests = Array.from({ length: 40 }, () => api.call("/assets"));
      const early = await Promise.any(requests);
      expect([early.status, await codeOf(early)]).toEqual([503, "OVERLOADED"]);
      expect(early.headers.get("retry-after")).toBe("5");
      for (const path of ["/health/live", "/health/ready"]) {
        const health = await fetch(new URL(path, api.address), { headers: { "x-api-key": api.account.key } });
        expect(health.status).toBe(200);
      }
      // All except those that hold a place.
      await expect
        .poll(async () => (await Promise.all(requests.map(isSettled))).filter(Boolean).length)
        .toBe(38);
      expect(performance.now() - startMs).toBeLessThan(10_000);
    });
    expect((await api.call("/assets")).status).toBe(200);
  });

  it("[E10] of one client leave room for another's", async () => {
    await api.upload("x", "a.wav");
    const other = await api.addAccount();
    const { id } = (await (
      await api.post(
        "/tasks",
        { url: "https://example.com/a.wav", targets: [{ model: "vocals", formats: ["wav"] }] },
        other,
      )
    ).json()) as { id: string };
    await whileHeld(async () => {
      const requests = Array.from({ length: 6 }, () => api.call("/assets"));
      await expect
        .poll(async () => (await Promise.all(requests.map(isSettled))).filter(Boolean).length)
        .toBe(4);
      expect((await api.call(`/tasks/${id}`, { key: other.key })).status).toBe(200);
    });
  });

  const startUpload = (sizeBytes: number) => {
    const part = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
    const end = "\r\n--x--\r\n";
    const length = part.length + sizeBytes + end.length;
    const head = `POST /assets HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${api.account.key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${length}\r\n\r\n`;
    return { connection: openRawConnection(api.address, head + part), end };
  };

  it("[E10] uploads have separate places", async () => {
    const slow = startUpload(10);
    slow.connection.socket.write("12345");
    // One client gets half of two places.
    await expect
      .poll(async () => {
        const response = await api.upload("x", "b.wav");
        return [response.status, await codeOf(response)];
      })
      .toEqual([503, "OVERLOADED"]);
    expect((await api.call("/tasks")).status).toBe(200);
    expect((await api.upload("x", "b.wav", await api.addAccount())).status).toBe(200);
    slow.connection.socket.write(`67890${slow.end}`);
    expect((await slow.connection.closed).text).toMatch(/^HTTP\/1.1 200 /);
    expect((await api.upload("x", "b.wav")).status).toBe(200);
  });
});

describe("more files than can be probed at once", () => {
  it("[E10] are probed one after another, as far as that is fast enough", async () => {
    const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
    const patient = await startTestApi({ PROBES_AT_ONCE: "1" });
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1)
      ids.push(assetSchema.parse(await (await patient.upload(content, "a.wav")).json()).id);
    const estimates = await Promise.all(
      ids.map((assetId) =>
        patient.post("/tasks/estimate", { assetId, targets: [{ model: "vocals", formats: ["wav"] }] }),
      ),
    );
    const statuses = estimates.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    const refused = estimates.filter(({ status }) => status !== 200);
    // One client has the place and half of the sixteen to wait in.
    expect(refused.length).toBeGreaterThanOrEqual(30 - 9);
    for (const response of refused)
      expect([response.status, await codeOf(response)]).toEqual([503, "OVERLOADED"]);
    await patient.close();
  });
});

/** Whether it has been answered yet. */
const isSettled = (request: Promise<unknown>) =>
  Promise.race([
    request.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
