import type { Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { findCreditAccount } from "../../../db/credits/credit-rows.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";
import type { TargetEnd } from "../../../domain/tasks/task-record.ts";

let api: TestApi;
let admin: TestAccount;
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());

/** A metered client with credits and an asset of that length. */
async function addMetered(credits: number, durationSeconds = 61) {
  const account = await api.addAccount({ isMetered: true });
  if (credits > 0)
    await api.post(`/admin/clients/${account.clientId}/credits`, { amount: credits, note: "Test" }, admin);
  const tone = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
  const { id: assetId } = (await (await api.upload(tone, "a.wav", account)).json()) as { id: string };
  // The probe result for a file of that length.
  await api.database.pool.query("update assets set media = $2 where id = $1", [
    assetId,
    { isReadable: true, durationSeconds, sampleRateHz: 8000, channels: 1, hasVideo: false },
  ]);
  const input = { assetId, targets: [{ model: "vocals", formats: ["wav"] }] };
  return {
    ...account,
    create: (request: object = {}) => api.post("/tasks", { ...input, ...request }, account),
    account: () => findCreditAccount(api.database.db, account.clientId),
    ledger: async () =>
      (await (await api.call(`/admin/clients/${account.clientId}/credits/ledger`, admin)).json()) as {
        kind: string;
        amount: number;
        taskId?: string;
      }[],
  };
}

const end = (task: Task, index: number, how: TargetEnd) =>
  api.database.db
    .transaction()
    .execute((transaction) =>
      endTarget(transaction, { taskId: task.id, targetId: task.targets[index]?.id ?? "", end: how }),
    );
// 61 s at 1 a minute cost 2.
const completed: TargetEnd = { status: "completed", durationSeconds: 61, output: [] };
const failed: TargetEnd = { status: "error", error: { code: 9001, message: "failed" } };
const both = [
  { model: "vocals", formats: ["wav"] },
  { model: "drums", formats: ["wav"] },
];

describe("credits", () => {
  it("[B2] a Task reserves its estimate; one that exceeds the rest is 402 and leaves nothing", async () => {
    const client = await addMetered(5);
    expect((await client.create({ targets: both })).status).toBe(200);
    expect(await client.account()).toEqual({ balance: 5, reserved: 4 });
    const refused = await client.create();
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      code: "CREDITS_INSUFFICIENT",
      message: expect.stringContaining("1 is left"),
    });
    expect(await client.account()).toEqual({ balance: 5, reserved: 4 });
    expect((await api.call("/tasks", client)).headers.get("x-total-count")).toBe("1");
  });

  it("[B2] the last credit can be spent, and without credits no Task is created", async () => {
    expect((await (await addMetered(2)).create()).status).toBe(200);
    expect((await (await addMetered(1.999999)).create()).status).toBe(402);
    expect((await (await addMetered(0)).create()).status).toBe(402);
  });

  it("[B3] an input of unknown length reserves one minute per target", async () => {
    const client = await addMetered(10);
    const url = "https://media.example/song.mp3";
    expect((await client.create({ assetId: undefined, url, targets: both })).status).toBe(200);
    expect(await client.account()).toEqual({ balance: 10, reserved: 2 });
  });

  it("[B5] a completed target is charged once, a failed one is not; both release their reservation", async () => {
    const client = await addMetered(10);
    const task = (await (await client.create({ targets: both })).json()) as Task;
    await Promise.all([end(task, 0, completed), end(task, 0, completed), end(task, 1, failed)]);
    expect(await client.account()).toEqual({ balance: 8, reserved: 0 });
    expect(await client.ledger()).toMatchObject([
      { kind: "charge", amount: -2, taskId: task.id },
      { kind: "grant", amount: 10 },
    ]);
  });

  it("[B5] a deleted Task releases its credits, and its charges stay in the ledger", async () => {
    const client = await addMetered(10);
    const task = (await (await client.create({ targets: both })).json()) as Task;
    await end(task, 0, completed);
    expect((await api.call(`/tasks/${task.id}`, { method: "DELETE", key: client.key })).status).toBe(200);
    expect(await client.account()).toEqual({ balance: 8, reserved: 0 });
    expect(await client.ledger()).toHaveLength(2);
  });

  it("[B7] an unmetered client is never refused, reserves nothing and is not charged", async () => {
    const client = await addMetered(0);
    await api.call(`/admin/clients/${client.clientId}`, {
      method: "PATCH",
      key: admin.key,
      body: JSON.stringify({ metered: false }),
      headers: { "content-type": "application/json" },
    });
    const task = (await (await client.create()).json()) as Task;
    await end(task, 0, completed);
    expect(((await (await api.call(`/tasks/${task.id}`, client)).json()) as Task).cost).toBe(2);
    expect(await client.account()).toEqual({ balance: 0, reserved: 0 });
    expect(await client.ledger()).toEqual([]);
  });

  it("[B1] nothing in the ledger can be changed or removed", async () => {
    await addMetered(1);
    for (const statement of [
      "update credit_entries set amount = 2",
      "delete from credit_entries",
      "truncate credit_entries",
    ])
      await expect(api.database.pool.query(statement)).rejects.toThrow("append-only");
  });

  it("[B8] reserved credits can't be withdrawn", async () => {
    const client = await addMetered(5);
    await client.create();
    const takeBack = (amount: number) =>
      api.post(`/admin/clients/${client.clientId}/credits`, { amount, note: "Back" }, admin);
    expect((await takeBack(-3.5)).status).toBe(402);
    expect((await takeBack(-3)).status).toBe(200);
    expect(await client.account()).toEqual({ balance: 2, reserved: 2 });
  });
});

describe("a hundred creations at once", () => {
  it("[B6] use exactly the available credits, and the ledger adds up in any order of completion", async () => {
    const client = await addMetered(20.5);
    const responses = await Promise.all(Array.from({ length: 100 }, () => client.create()));
    const taken = responses.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 402)).toHaveLength(90);
    expect(await client.account()).toEqual({ balance: 20.5, reserved: 20 });
    const tasks = (await Promise.all(taken.map((response) => response.json()))) as Task[];
    const ends = tasks.map((task, i) => end(task, 0, i % 2 === 0 ? completed : failed));
    const [, more] = await Promise.all([
      Promise.all(ends),
      Promise.all(Array.from({ length: 20 }, () => client.create())),
    ]);
    const created = more.filter(({ status }) => status === 200).length;
    const { balance, reserved } = await client.account();
    expect(balance).toBe(10.5);
    expect(reserved).toBe(created * 2);
    expect(reserved).toBeLessThanOrEqual(balance);
    const sum = await api.database.pool.query("select sum(amount) from credit_entries where client_id = $1", [
      client.clientId,
    ]);
    expect(sum.rows[0].sum).toBe(10.5);
  });
});
