import type { Client, Task } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";

let api: TestApi;
let admin: TestAccount;
let account: TestAccount;
let assetId: string;
beforeAll(async () => {
  api = await startTestApi({ CLIENT_WAITING_MAX: "2", LONG_TASK_SECONDS: "1" });
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
  assetId = await upload(800);
});

async function upload(lengthFrames: number): Promise<string> {
  const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames }));
  return ((await (await api.upload(content, "a.wav", account)).json()) as { id: string }).id;
}
const vocals = { model: "vocals", formats: ["wav"] };
const post = (body: object = {}) => api.post("/tasks", { assetId, targets: [vocals], ...body }, account);
const create = async (body: object = {}) => (await (await post(body)).json()) as Task;
const changeClient = async (change: object) => {
  const response = await api.call(`/admin/clients/${account.clientId}`, {
    method: "PATCH",
    key: admin.key,
    body: JSON.stringify(change),
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, client: (await response.json()) as Client };
};
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe("priority", () => {
  it("[Q7] [T5] is 0 to 9, and echoed only if supplied", async () => {
    const [usual, low] = [await create(), await create({ priority: 0 })];
    expect("priority" in usual).toBe(false);
    expect(low.priority).toBe(0);
    expect(await (await api.call(`/tasks/${low.id}`, account)).json()).toEqual(low);
  });

  it.each([10, -1, 1.5, "5", true])("[Q7] %j is 400", async (priority) => {
    expect(await codeOf(await post({ priority }))).toEqual([400, "REQUEST_INVALID"]);
  });

  it("[I2] is part of a request's identity", async () => {
    const send = (priority: number) =>
      api.call("/tasks", {
        method: "POST",
        key: account.key,
        body: JSON.stringify({ assetId, targets: [vocals], priority }),
        headers: { "content-type": "application/json", "idempotency-key": "one" },
      });
    expect((await send(4)).status).toBe(200);
    expect(await codeOf(await send(5))).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  });
});

describe("a client at its limit of waiting Tasks", () => {
  it("[Q8] gets 429 for the next one, on both interfaces, and nothing is stored", async () => {
    const [first] = [await create(), await create()];
    const refused = await post();
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(await codeOf(refused)).toEqual([429, "TASKS_WAITING_TOO_MANY"]);
    const metadata = { name: "vocals", format: "wav" };
    const job = await api.call("/job", {
      method: "POST",
      key: null,
      body: JSON.stringify({ assetId, metadata }),
      headers: { "content-type": "application/json", authorization: `Bearer ${await makeToken()}` },
    });
    expect(await codeOf(job)).toEqual([429, "TASKS_WAITING_TOO_MANY"]);
    expect((await api.call("/tasks", account)).headers.get("x-total-count")).toBe("2");
    await api.call(`/tasks/${first?.id}/cancel`, { method: "POST", key: account.key });
    expect((await post()).status).toBe(200);
  });

  const makeToken = async () => {
    const body = { name: "Token", kind: "legacy" };
    const path = `/admin/clients/${account.clientId}/keys`;
    const response = await api.post(path, body, admin);
    return ((await response.json()) as { secret: string }).secret;
  };

  it("[Q8] [D2] has its individual limit, else the service's", async () => {
    const { client } = await changeClient({ waitingMax: 3, runningMax: 4, weight: 5 });
    expect(client).toMatchObject({ waitingMax: 3, runningMax: 4, weight: 5 });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await post()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await changeClient({ waitingMax: 0 })).client.waitingMax).toBe(0);
    expect((await post()).status).toBe(200);
    expect((await changeClient({ waitingMax: "default" })).client.waitingMax).toBeNull();
    expect((await post()).status).toBe(429);
  });

  it.each([{ weight: 0 }, { weight: 101 }, { weight: 1.5 }, { runningMax: -1 }, { waitingMax: "none" }])(
    "[D2] %j is 400",
    async (change) => {
      expect((await changeClient(change)).status).toBe(400);
    },
  );

  it("[D2] is created with its turns", async () => {
    const turns = { weight: 7, runningMax: 2, waitingMax: 0 };
    const response = await api.post("/admin/clients", { name: "Acme", ...turns }, admin);
    expect(await response.json()).toMatchObject(turns);
  });
});

it("[Q9] an asset's length decides whether its Task is long", async () => {
  const isLong = async (id: string) =>
    (await api.database.pool.query("select is_long from tasks where id = $1", [id])).rows[0].is_long;
  expect(await isLong((await create()).id)).toBe(false);
  expect(await isLong((await create({ assetId: await upload(8001) })).id)).toBe(true);
});
