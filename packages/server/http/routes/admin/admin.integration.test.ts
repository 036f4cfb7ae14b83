import {
  type ApiKey,
  type Client,
  type CreditEntry,
  client as clientSchema,
  type Model,
} from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { upsertWorker } from "../../../db/operation/worker-rows.ts";
import { makeId } from "../../../domain/ids.ts";

let api: TestApi;
let admin: TestAccount;
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.addAccount({ role: "admin" });
});
afterAll(() => api.close());

const send = (method: string, path: string, body?: unknown) =>
  api.call(path, {
    method,
    key: admin.key,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
const ask = async <Answer>(method: string, path: string, body?: unknown) => {
  const response = await send(method, path, body);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};
const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
};
const addClient = (body: object = {}) => ask<Client>("POST", "/admin/clients", { name: "Acme", ...body });
const addKey = (id: string, body: object = {}) =>
  ask<ApiKey & { secret: string }>("POST", `/admin/clients/${id}/keys`, { name: "A key", ...body });

describe("administration", () => {
  it("[D1] is for administrators, on every route", async () => {
    for (const path of [
      "/admin/clients",
      "/admin/clients/abc/keys",
      "/admin/workers",
      "/admin/queue",
      "/admin/health",
    ]) {
      expect(await codeOf(await api.call(path))).toEqual([403, "ADMIN_REQUIRED"]);
      expect(await codeOf(await api.call(path, { key: null }))).toEqual([401, "KEY_MISSING"]);
    }
    expect(await codeOf(await api.post("/admin/clients", { name: "x" }))).toEqual([403, "ADMIN_REQUIRED"]);
  });

  it("[D2] creates, reads, changes and lists clients", async () => {
    const created = await addClient({ name: "Näme ☃", metered: true });
    expect(clientSchema.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: "Näme ☃",
      metered: true,
      suspendedAt: null,
      credits: { balance: 0, reserved: 0, available: 0 },
    });
    expect(await ask("GET", `/admin/clients/${created.id}`)).toEqual(created);
    expect(await ask("PATCH", `/admin/clients/${created.id}`, { metered: false })).toEqual({
      ...created,
      metered: false,
    });
    expect(await ask("PATCH", `/admin/clients/${created.id}`, { name: "B" })).toMatchObject({
      name: "B",
      metered: false,
    });
    expect(await ask("PATCH", `/admin/clients/${created.id}`, {})).toMatchObject({ name: "B" });
    const listed = await send("GET", "/admin/clients?take=1");
    expect(((await listed.json()) as Client[]).map(({ id }) => id)).toEqual([created.id]);
    expect(Number(listed.headers.get("x-total-count"))).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ["POST", "/admin/clients", {}],
    ["POST", "/admin/clients", { name: "" }],
    ["POST", "/admin/clients", { name: "a\0b" }],
    ["POST", "/admin/clients", { name: "x".repeat(201) }],
    ["POST", "/admin/clients", { name: "x", metered: "yes" }],
  ])("[D2] %s %s %j is 400", async (method, path, body) => {
    expect(await codeOf(await send(method, path, body))).toEqual([400, "REQUEST_INVALID"]);
  });

  it("[D2] [D4] [D5] an unknown client is 404 everywhere", async () => {
    for (const id of [makeId(), "UPPER", "%00"]) {
      for (const path of ["", "/keys", "/models", "/credits", "/credits/ledger"])
        expect((await send("GET", `/admin/clients/${id}${path}`)).status).toBe(404);
      expect((await send("POST", `/admin/clients/${id}/suspend`)).status).toBe(404);
      expect((await send("POST", `/admin/clients/${id}/keys`, { name: "x" })).status).toBe(404);
      expect((await send("POST", `/admin/clients/${id}/credits`, { amount: 1, note: "x" })).status).toBe(404);
      expect((await send("PUT", `/admin/clients/${id}/models/vocals`, {})).status).toBe(404);
      expect((await send("DELETE", `/admin/keys/${id}`)).status).toBe(404);
    }
  });

  it("[D3] [K6] a suspended client is rejected at once, and accepted again when resumed", async () => {
    const { id } = await addClient();
    const { secret } = await addKey(id);
    const { link } = (await (await api.upload("x", "a.wav", { key: secret })).json()) as { link: string };
    const suspended = await ask<Client>("POST", `/admin/clients/${id}/suspend`);
    expect(suspended.suspendedAt).not.toBeNull();
    expect(await ask("POST", `/admin/clients/${id}/suspend`)).toEqual(suspended);
    for (const path of ["/tasks", "/models", "/assets", "/admin/clients"])
      expect(await codeOf(await api.call(path, { key: secret }))).toEqual([403, "CLIENT_SUSPENDED"]);
    expect((await fetch(link)).status).toBe(200);
    expect(await ask("POST", `/admin/clients/${id}/resume`)).toMatchObject({ suspendedAt: null });
    expect((await api.call("/tasks", { key: secret })).status).toBe(200);
  });

  it("[D3] administrators can't lock themselves out", async () => {
    expect(await codeOf(await send("POST", `/admin/clients/${admin.clientId}/suspend`))).toEqual([
      409,
      "SELF_LOCKOUT",
    ]);
    expect(await codeOf(await send("DELETE", `/admin/keys/${admin.keyId}`))).toEqual([409, "SELF_LOCKOUT"]);
    expect((await send("GET", "/admin/clients")).status).toBe(200);
  });

  it("[D4] [K4] a key's secret is shown once, its last use is recorded, and revoking takes effect", async () => {
    const { id } = await addClient();
    const { secret, ...key } = await addKey(id, { name: "Production" });
    expect(secret).toMatch(/^sw_[0-9A-Za-z]{40}$/);
    expect(key).toMatchObject({
      clientId: id,
      name: "Production",
      role: "client",
      kind: "key",
      revokedAt: null,
    });
    const list = () => ask<ApiKey[]>("GET", `/admin/clients/${id}/keys`);
    expect(await list()).toEqual([{ ...key, lastUsedAt: null }]);
    expect((await api.call("/tasks", { key: secret })).status).toBe(200);
    await expect.poll(async () => (await list())[0]?.lastUsedAt).not.toBeNull();
    expect(JSON.stringify(await list())).not.toContain(secret);
    const revoked = await ask<ApiKey>("DELETE", `/admin/keys/${key.id}`);
    expect(revoked.revokedAt).not.toBeNull();
    expect(await ask("DELETE", `/admin/keys/${key.id}`)).toEqual(revoked);
    expect(await codeOf(await api.call("/tasks", { key: secret }))).toEqual([401, "KEY_INVALID"]);
  });

  it("[D4] legacy tokens and administrators' keys can be created, but not both in one", async () => {
    const { id } = await addClient();
    expect(await addKey(id, { kind: "legacy" })).toMatchObject({ kind: "legacy", role: "client" });
    const { secret } = await addKey(id, { role: "admin" });
    expect((await api.call("/admin/clients", { key: secret })).status).toBe(200);
    const both = { name: "x", role: "admin", kind: "legacy" };
    expect(await codeOf(await send("POST", `/admin/clients/${id}/keys`, both))).toEqual([
      400,
      "REQUEST_INVALID",
    ]);
  });

  it("[D5] [M3] a model's access and rate apply from the next request on", async () => {
    const { id } = await addClient();
    const { secret } = await addKey(id);
    const vocals = async () => {
      const { models } = (await (await api.call("/models", { key: secret })).json()) as { models: Model[] };
      const found = models.find((model) => model.id === "vocals");
      return [found?.access, found?.creditsPerMinute];
    };
    const path = `/admin/clients/${id}/models`;
    expect(await vocals()).toEqual(["enabled", 1]);
    const grant = { model: "vocals", access: "requestAccess", creditsPerMinute: 0.123456 };
    expect(await ask("PUT", `${path}/vocals`, grant)).toEqual(grant);
    expect(await vocals()).toEqual(["requestAccess", 0.123456]);
    expect(await ask("GET", path)).toEqual([grant]);
    expect(await ask("PUT", `${path}/vocals`, { creditsPerMinute: 0 })).toEqual({
      model: "vocals",
      creditsPerMinute: 0,
    });
    expect(await vocals()).toEqual(["enabled", 0]);
    expect(await ask("DELETE", `${path}/vocals`)).toEqual({ model: "vocals" });
    expect(await vocals()).toEqual(["enabled", 1]);
    expect(await codeOf(await send("DELETE", `${path}/vocals`))).toEqual([404, "NOT_FOUND"]);
    expect(await codeOf(await send("PUT", `${path}/nonsense`, {}))).toEqual([400, "MODEL_UNKNOWN"]);
    expect(await ask("GET", path)).toEqual([]);
    const voices = { access: "enabled", creditsPerMinute: 2 };
    expect(await ask("PUT", `${path}/multi_voice`, voices)).toEqual({ model: "multi_voice", ...voices });
    for (const creditsPerMinute of [-1, 1e9, 0.0000001, "1"])
      expect((await send("PUT", `${path}/vocals`, { creditsPerMinute })).status).toBe(400);
  });

  it("[B8] [B1] credits are granted, refunded and withdrawn; the ledger records all of it", async () => {
    const { id } = await addClient();
    const grant = (body: object) =>
      send("POST", `/admin/clients/${id}/credits`, { note: "Invoice 17", ...body });
    expect(await (await grant({ amount: 0.1 })).json()).toMatchObject({
      kind: "grant",
      amount: 0.1,
      balanceAfter: 0.1,
      note: "Invoice 17",
      keyId: admin.keyId,
    });
    expect((await grant({ amount: 0.2 })).status).toBe(200);
    expect((await grant({ amount: 10, kind: "refund" })).status).toBe(200);
    expect((await grant({ amount: -0.3 })).status).toBe(200);
    expect(await codeOf(await grant({ amount: -10.000001 }))).toEqual([402, "CREDITS_INSUFFICIENT"]);
    expect(await ask("GET", `/admin/clients/${id}/credits`)).toEqual({
      balance: 10,
      reserved: 0,
      available: 10,
    });
    const ledger = await send("GET", `/admin/clients/${id}/credits/ledger?take=3`);
    expect(ledger.headers.get("x-total-count")).toBe("4");
    expect(
      ((await ledger.json()) as CreditEntry[]).map(({ amount, balanceAfter }) => [amount, balanceAfter]),
    ).toEqual([
      [-0.3, 10],
      [10, 10.3],
      [0.2, 0.3],
    ]);
  });

  it.each([
    { amount: 0 },
    { amount: 0.0000001 },
    { amount: 1e10 },
    { amount: "1" },
    { amount: -1, kind: "refund" },
    { amount: 1, kind: "charge" },
    { amount: 1, note: "" },
    { amount: 1, note: "a\0" },
    { amount: 1_000_000_000, note: "with what is there it is too much" },
  ])("[B8] %j is 400", async (body) => {
    const { id } = await addClient();
    await ask("POST", `/admin/clients/${id}/credits`, { amount: 1, note: "x" });
    expect((await send("POST", `/admin/clients/${id}/credits`, { note: "x", ...body })).status).toBe(400);
  });
});

describe("acting for a client", () => {
  const tone = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));

  it("[K5] an administrator lists, creates, reads and deletes as the client it names", async () => {
    const { id: assetId } = (await (await api.upload(tone, "a.wav")).json()) as { id: string };
    const forClient = `clientId=${api.account.clientId}`;
    const idsOf = async (path: string) => (await ask<{ id: string }[]>("GET", path)).map(({ id }) => id);
    expect(await idsOf(`/assets?${forClient}`)).toContain(assetId);
    expect(await idsOf("/assets")).not.toContain(assetId);
    const targets = [{ model: "vocals", formats: ["wav"] }];
    const task = await ask<{ id: string; clientId: string }>("POST", `/tasks?${forClient}`, {
      assetId,
      targets,
    });
    expect(task.clientId).toBe(api.account.clientId);
    expect((await api.call(`/tasks/${task.id}`)).status).toBe(200);
    expect((await send("GET", `/tasks/${task.id}`)).status).toBe(404);
    expect(await idsOf(`/tasks?${forClient}`)).toEqual([task.id]);
    expect((await send("DELETE", `/tasks/${task.id}?${forClient}`)).status).toBe(200);
  });

  it("[K5] an unknown client is 404; non-administrators may name only themselves", async () => {
    expect(await codeOf(await send("GET", `/tasks?clientId=${makeId()}`))).toEqual([404, "NOT_FOUND"]);
    expect(await codeOf(await send("GET", "/tasks?clientId=a&clientId=b"))).toEqual([400, "REQUEST_INVALID"]);
    expect(await codeOf(await api.call(`/tasks?clientId=${admin.clientId}`))).toEqual([
      403,
      "ADMIN_REQUIRED",
    ]);
    expect((await api.call(`/tasks?clientId=${api.account.clientId}`)).status).toBe(200);
  });
});

describe("the running service", () => {
  it("[D6] shows its workers, and which of them are dead", async () => {
    const report = {
      id: makeId(),
      host: "machine",
      pid: 17,
      version: "1.2.3",
      startedAt: new Date(),
      task: { id: "a-task", since: new Date() },
      memoryBytes: 1e9,
      engineSeconds: 30,
      audioSeconds: 60,
      networks: [{ name: "htdemucs", runsOn: "webgpu", timesRealTime: 88.5 }],
      fault: "the disk is nearly full",
      diskFreeBytes: 5,
    };
    const dead = { ...report, id: makeId(), task: undefined };
    await upsertWorker(api.database.db, report);
    await upsertWorker(api.database.db, dead);
    await api.database.pool.query(
      "update workers set seen_at = now() - interval '31 seconds' where id = $1",
      [dead.id],
    );
    const workers = await ask<{ id: string; isAlive: boolean }[]>("GET", "/admin/workers");
    const byId = new Map(workers.map((worker) => [worker.id, worker]));
    expect(byId.get(report.id)).toMatchObject({
      isAlive: true,
      host: "machine",
      version: "1.2.3",
      taskId: "a-task",
      taskSince: report.task.since.toISOString(),
      memoryBytes: 1e9,
      networks: report.networks,
      fault: report.fault,
      diskFreeBytes: 5,
    });
    expect(byId.get(dead.id)).toMatchObject({ isAlive: false, taskId: null, taskSince: null });
    expect(await ask("GET", "/admin/health")).toMatchObject({
      status: "degraded",
      workers: { isOk: false, alive: 1, faults: [report.fault] },
    });
    const metrics = await (await api.call("/metrics", { key: admin.key })).text();
    expect(metrics).toMatch(/^stemwright_workers_at_fault 1$/m);
    expect(metrics).toMatch(/^stemwright_worker_disk_free_bytes\{worker="[^"]+",host="machine"\} 5$/m);
    await api.database.pool.query("delete from workers");
  });

  it("[D7] [D8] shows the queue, and the health of every part", async () => {
    const { id: assetId } = (await (
      await api.upload(toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 })), "a.wav")
    ).json()) as { id: string };
    await api.post("/tasks", { assetId, targets: [{ model: "vocals", formats: ["wav"] }] });
    const queues = await ask<{ name: string; waiting: number; oldestWaitingAt: string | null }[]>(
      "GET",
      "/admin/queue",
    );
    const tasks = queues.find(({ name }) => name === "task");
    expect(tasks?.waiting).toBeGreaterThanOrEqual(1);
    expect(Date.parse(tasks?.oldestWaitingAt ?? "")).toBeLessThanOrEqual(Date.now());
    expect(await ask("GET", "/admin/health")).toMatchObject({
      status: "degraded",
      database: { isOk: true },
      queue: { waiting: expect.any(Number), active: 0 },
      workers: { isOk: false, alive: 0, faults: [] },
      mediaSandbox: { isOk: true, mode: "required", gaps: [] },
    });
  });
});
