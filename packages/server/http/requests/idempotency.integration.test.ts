import { asset as assetSchema, type Task } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../test/support/test-api.ts";
import { takeReceipt } from "../../db/requests/receipt-rows.ts";

let api: TestApi;
let account: TestAccount;
let assetId: string;
const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
  assetId = assetSchema.parse(await (await api.upload(wav, "a.wav", account)).json()).id;
});

const vocals = { model: "vocals", formats: ["wav"] };
const post = (key: string, body: unknown = { assetId, targets: [vocals] }, as: { key: string } = account) =>
  api.call("/tasks", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "idempotency-key": key },
    key: as.key,
  });
const countTasks = async () => Number((await api.call("/tasks", account)).headers.get("x-total-count"));
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe("an Idempotency-Key", () => {
  it("[I1] returns the first response again for the same body, in any field order", async () => {
    const first = await post("k-1", { assetId, targets: [vocals], metadata: 'a"\u2028😀' });
    const again = await post("k-1", {
      metadata: 'a"\u2028😀',
      targets: [{ formats: ["wav"], model: "vocals" }],
      assetId,
    });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    expect(await countTasks()).toBe(1);
  });

  it("[I1] replays the first response even after the Task has changed", async () => {
    const first = (await (await post("k-1")).json()) as Task;
    await api.call(`/tasks/${first.id}/cancel`, { method: "POST", key: account.key });
    expect(await (await post("k-1")).json()).toEqual(first);
  });

  it("[I2] is a conflict with another body", async () => {
    await post("k-1");
    expect(await codeOf(await post("k-1", { assetId, targets: [{ ...vocals, residual: true }] }))).toEqual([
      409,
      "IDEMPOTENCY_CONFLICT",
    ]);
    expect(await countTasks()).toBe(1);
  });

  it("[I2] is scoped to the client", async () => {
    const first = (await (await post("k-1")).json()) as Task;
    const other = await api.addAccount();
    const asset = assetSchema.parse(await (await api.upload(wav, "a.wav", other)).json());
    const second = (await (
      await post("k-1", { assetId: asset.id, targets: [vocals] }, other)
    ).json()) as Task;
    expect(second.id).not.toBe(first.id);
  });

  it("[I3] creates exactly one Task for fifty concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("k-1")));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Task).id));
    expect(new Set(ids).size).toBe(1);
    expect(await countTasks()).toBe(1);
  });

  it("[I3] of fifty with two bodies at once, one body wins and the other is a conflict", async () => {
    const bodies = [vocals, { model: "drums", formats: ["wav"] }];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => post("k-1", { assetId, targets: [bodies[i % 2]] })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 409)).toHaveLength(25);
    expect(await countTasks()).toBe(1);
  });

  it("[I3] waits for the first request, and takes over if that one dies midway", async () => {
    const taken = Promise.withResolvers<void>();
    const dies = Promise.withResolvers<void>();
    const first = api.database.db.transaction().execute(async (transaction) => {
      await takeReceipt(transaction, {
        clientId: account.clientId,
        principal: account.keyId,
        key: "k-1",
        fingerprint: Buffer.alloc(32),
      });
      taken.resolve();
      await dies.promise;
      throw new Error("died");
    });
    await taken.promise;
    const second = post("k-1");
    expect(await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 300, "waits"))])).toBe(
      "waits",
    );
    dies.resolve();
    await expect(first).rejects.toThrow("died");
    expect((await second).status).toBe(200);
    expect(await countTasks()).toBe(1);
  });

  it("[I3] a failed request is tried afresh", async () => {
    expect((await post("k-1", { assetId: "not-there-yet", targets: [vocals] })).status).toBe(404);
    expect((await post("k-1")).status).toBe(200);
    await api.database.pool.query("alter table targets rename to targets_away");
    try {
      expect((await post("k-2")).status).toBe(500);
    } finally {
      await api.database.pool.query("alter table targets_away rename to targets");
    }
    expect((await post("k-2")).status).toBe(200);
    expect(await countTasks()).toBe(2);
  });

  it("[I1] expires after 24 hours", async () => {
    const first = (await (await post("k-1")).json()) as Task;
    const age = (interval: string) =>
      api.database.pool.query("update idempotency_receipts set created_at = now() - $1::interval", [
        interval,
      ]);
    await age("23 hours 59 minutes");
    expect(((await (await post("k-1")).json()) as Task).id).toBe(first.id);
    await age("24 hours");
    const second = (await (
      await post("k-1", { assetId, targets: [vocals], metadata: "new" })
    ).json()) as Task;
    expect(second.id).not.toBe(first.id);
    expect(await countTasks()).toBe(2);
  });

  it.each(["", "x".repeat(256), "naïve"])("[I2] that is no good is refused: %#", async (key) => {
    expect(await codeOf(await post(key))).toEqual([400, "IDEMPOTENCY_KEY_INVALID"]);
  });
});
