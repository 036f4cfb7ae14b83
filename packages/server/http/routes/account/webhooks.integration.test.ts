import {
  type ApiErrorBody,
  type SentWebhookDelivery,
  type Task,
  type Webhook,
  type WebhookDelivery,
  webhook,
  webhookDelivery,
} from "@stemwright/contract";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ReceivedCall, type Receiver, startReceiver } from "../../../../../test/support/receiver.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";
import type { TargetEnd } from "../../../domain/tasks/task-record.ts";

let api: TestApi;
let account: TestAccount;
let receiver: Receiver;

beforeAll(async () => {
  const options = { retryDelaysMs: [50, 50], pollIntervalMs: 50 };
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" }, options);
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const completed: TargetEnd = {
  status: "completed",
  durationSeconds: 61,
  output: [{ name: "vocals", format: "wav", blobKey: "outputs/a/b/vocals.wav", sizeBytes: 4 }],
};
const failed: TargetEnd = { status: "error", error: { code: 1001, message: "Not audio" } };

async function read<Body>(response: Response | Promise<Response>): Promise<Body> {
  const { status, body } = await (async () => {
    const answer = await response;
    return { status: answer.status, body: (await answer.json()) as Body };
  })();
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const get = <Body>(path: string) => read<Body>(api.call(path, { key: account.key }));
const post = <Body>(path: string, body: unknown = {}) =>
  read<Body>(api.post(path, body, { key: account.key }));
const codeOf = async (response: Promise<Response>) =>
  ((await (await response).json()) as { code: string }).code;

const setWebhook = (url = receiver.url) => post<Webhook>("/webhooks", { url });
const createTask = (fields: object = {}) =>
  post<Task>("/tasks", {
    url: "http://127.0.0.1:9/song.wav",
    targets: [{ model: "vocals", formats: ["wav"] }],
    ...fields,
  });
const end = (task: Task, index: number, how: TargetEnd) =>
  api.database.db
    .transaction()
    .execute((tx) => endTarget(tx, { taskId: task.id, targetId: task.targets[index]?.id ?? "", end: how }));
const verify = (secret: string, { body, headers }: ReceivedCall) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);
const listDeliveries = (query = "") => get<WebhookDelivery[]>(`/webhooks/deliveries${query}`);
const waitForState = (id: string, state: string) =>
  expect.poll(async () => (await listDeliveries()).find((delivery) => delivery.id === id)?.state).toBe(state);
/** Links get a new signature each second. */
const withoutSignatures = (body: string) => body.replaceAll(/Expires=\d+&Signature=[0-9a-f]+/g, "");

describe("the account's webhook", () => {
  it("[W1] is set, listed, replaced and removed, one for each account", async () => {
    const first = await setWebhook("https://example.com/first");
    expect(webhook.parse(first)).toEqual(first);
    expect(first).toMatchObject({ url: "https://example.com/first", enabled: true });
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const second = await setWebhook("https://example.com/second");
    expect(second).toMatchObject({ id: first.id, url: "https://example.com/second", secret: first.secret });
    expect(await get("/webhooks")).toEqual([second]);
    expect(await read(api.call("/webhooks"))).toEqual([]);
    const removed = await read(api.call(`/webhooks/${first.id}`, { method: "DELETE", key: account.key }));
    expect(removed).toEqual(second);
    expect(await get("/webhooks")).toEqual([]);
  });

  it("[W1] [E4] another account's id is unknown", async () => {
    const { id } = await setWebhook();
    expect((await api.call(`/webhooks/${id}`, { method: "DELETE" })).status).toBe(404);
    for (const action of ["rotate-secret", "test"])
      expect((await api.post(`/webhooks/${id}/${action}`, {})).status).toBe(404);
    expect(await get<Webhook[]>("/webhooks")).toHaveLength(1);
  });

  it.each([
    ["not a url", "URL_INVALID"],
    ["ftp://example.com/", "URL_INVALID"],
    ["http://example.com/", "URL_NOT_ALLOWED"],
    ["https://10.0.0.1/", "URL_NOT_ALLOWED"],
    ["https://[::ffff:169.254.169.254]/", "URL_NOT_ALLOWED"],
    ["https://2130706434/", "URL_NOT_ALLOWED"],
  ])("[W10] [T3] %s is refused with %s and the field, here and in a Task", async (url, code) => {
    const faultOf = async (answer: Promise<Response>) => {
      const { code, details } = (await (await answer).json()) as ApiErrorBody;
      return [code, ...details.map(({ path }) => path)];
    };
    expect(await faultOf(api.post("/webhooks", { url }, { key: account.key }))).toEqual([code, "url"]);
    const task = { url: "http://127.0.0.1:9/a.wav", targets: [{ model: "vocals", formats: ["wav"] }] };
    expect(await faultOf(api.post("/tasks", { ...task, webhookUrl: url }))).toEqual([code, "webhookUrl"]);
    if (!url.startsWith("http")) return;
    const transcript = { model: "alignment", formats: ["txt"], transcriptUrl: url };
    const aligned = await faultOf(api.post("/tasks", { ...task, targets: [transcript] }));
    expect(aligned).toEqual([code, "targets[0].transcriptUrl"]);
    expect(await faultOf(api.post("/tasks", { ...task, url }))).toEqual([code, "url"]);
  });
});

describe("a webhook", () => {
  it("[W2] is sent for each target that completes or fails, and for nothing else", async () => {
    await setWebhook();
    const formats = ["wav"];
    const task = await createTask({
      targets: [
        { model: "vocals", formats },
        { model: "drums", formats },
      ],
    });
    await end(task, 0, completed);
    const [first] = await receiver.waitForCalls(1);
    expect(first?.headers["content-type"]).toBe("application/json");
    const statusesOf = (call?: ReceivedCall) =>
      (JSON.parse(call?.body ?? "") as Task).targets.map(({ status }) => status);
    expect(statusesOf(first)).toEqual(["completed", "processing"]);
    await end(task, 1, failed);
    const [, second] = await receiver.waitForCalls(2);
    expect(statusesOf(second)).toEqual(["completed", "error"]);
    expect(second?.headers["webhook-id"]).not.toBe(first?.headers["webhook-id"]);
    await end(task, 1, failed);
    expect(await listDeliveries()).toHaveLength(2);
  });

  it("[W2] is sent for targets that are cancelled", async () => {
    await setWebhook();
    const task = await createTask();
    await post(`/tasks/${task.id}/cancel`);
    const [call] = await receiver.waitForCalls(1);
    expect(JSON.parse(call?.body ?? "")).toMatchObject({
      targets: [{ status: "error", error: { code: 4001 } }],
    });
  });

  it("[W2] goes to the Task's own URL, else to the account's, else nowhere", async () => {
    const silent = await createTask();
    await end(silent, 0, completed);
    expect(await listDeliveries()).toEqual([]);
    const own = await startReceiver();
    await setWebhook();
    await end(await createTask({ webhookUrl: own.url }), 0, completed);
    await own.waitForCalls(1);
    expect(receiver.calls).toEqual([]);
    await own.close();
  });

  it("[W2] is due exactly when the target ended, not after a rollback", async () => {
    await setWebhook();
    const task = await createTask();
    const undone = api.database.db.transaction().execute(async (tx) => {
      await endTarget(tx, { taskId: task.id, targetId: task.targets[0]?.id ?? "", end: completed });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await listDeliveries()).toEqual([]);
  });

  it("[W3] carries the Task exactly as GET returns it, with fresh links", async () => {
    await setWebhook();
    const metadata = '"quoted" 😀\u0000';
    const task = await createTask({ metadata });
    await end(task, 0, completed);
    const [call] = await receiver.waitForCalls(1);
    const got = await (await api.call(`/tasks/${task.id}`, { key: account.key })).text();
    expect(withoutSignatures(call?.body ?? "")).toBe(withoutSignatures(got));
    expect(call?.body).toContain("Expires=");
  });

  it("[W4] is signed with the account's secret, even to a Task's own URL without an account URL", async () => {
    const { secret } = await get<{ secret: string }>("/webhooks/secret");
    await end(await createTask({ webhookUrl: receiver.url }), 0, completed);
    const [call] = await receiver.waitForCalls(1);
    if (!call) throw new Error("no call");
    expect(verify(secret, call)).toMatchObject({ clientId: account.clientId });
    expect((await setWebhook()).secret).toBe(secret);
  });

  it("[W5] is signed with both secrets for a day after a rotation, then with the new one alone", async () => {
    const { id, secret: before } = await setWebhook();
    const { secret: after } = await post<Webhook>(`/webhooks/${id}/rotate-secret`);
    expect(after).not.toBe(before);
    await post(`/webhooks/${id}/test`);
    const [first] = await receiver.waitForCalls(1);
    if (!first) throw new Error("no call");
    expect(first.headers["webhook-signature"]?.toString().split(" ")).toHaveLength(2);
    for (const secret of [before, after]) expect(() => verify(secret, first)).not.toThrow();

    const { rows } = await api.database.pool.query(
      "update webhook_secrets set previous_until = previous_until - interval '24 hours' where client_id = $1 returning previous_until <= now() as is_over",
      [account.clientId],
    );
    expect(rows).toEqual([{ is_over: true }]);
    await post(`/webhooks/${id}/test`);
    const [, second] = await receiver.waitForCalls(2);
    if (!second) throw new Error("no call");
    expect(() => verify(before, second)).toThrow();
    expect(() => verify(after, second)).not.toThrow();
  });

  it("[W12] can be tested with a test event, which is sent once", async () => {
    const { id, secret } = await setWebhook();
    receiver.answer = (response) => response.writeHead(500).end();
    const delivery = await post<WebhookDelivery>(`/webhooks/${id}/test`);
    expect(webhookDelivery.parse(delivery)).toMatchObject({ event: "test", state: "pending", attempts: 0 });
    const [call] = await receiver.waitForCalls(1);
    if (!call) throw new Error("no call");
    expect(verify(secret, call)).toMatchObject({ targets: [{ status: "completed", output: [] }] });
    await waitForState(delivery.id, "failed");
    expect(receiver.calls).toHaveLength(1);
  });
});

describe("the log of deliveries", () => {
  it("[W11] is paged, filtered by Task and state, and shows what happened", async () => {
    await setWebhook();
    receiver.answer = (response, index) => response.writeHead(index === 0 ? 200 : 503).end();
    const good = await createTask();
    await end(good, 0, completed);
    await receiver.waitForCalls(1);
    const bad = await createTask();
    await end(bad, 0, failed);
    const [{ id } = { id: "" }] = await listDeliveries(`?taskId=${bad.id}`);
    await waitForState(id, "failed");

    const [delivery, ...others] = await listDeliveries("?state=failed");
    expect(others).toEqual([]);
    expect(webhookDelivery.parse(delivery)).toEqual(delivery);
    expect(delivery).toMatchObject({
      id,
      event: "target",
      taskId: bad.id,
      targetId: bad.targets[0]?.id,
      url: receiver.url,
      attempts: 3,
      nextAttemptAt: null,
      lastStatusCode: 503,
      lastError: "The receiver answered 503",
    });
    expect((await listDeliveries("?state=delivered")).map(({ taskId }) => taskId)).toEqual([good.id]);
    const page = await api.call("/webhooks/deliveries?skip=1&take=1", { key: account.key });
    expect(page.headers.get("x-total-count")).toBe("2");
    expect(((await page.json()) as WebhookDelivery[]).map(({ taskId }) => taskId)).toEqual([good.id]);
    expect(await read(api.call("/webhooks/deliveries"))).toEqual([]);
    for (const query of ["state=lost", "take=101"])
      expect((await api.call(`/webhooks/deliveries?${query}`)).status).toBe(400);
  });

  it("[W11] a replay sends the current Task again, with the same id", async () => {
    await setWebhook();
    const formats = ["wav"];
    const task = await createTask({
      targets: [
        { model: "vocals", formats },
        { model: "drums", formats },
      ],
    });
    await end(task, 0, completed);
    const [first] = await receiver.waitForCalls(1);
    const [{ id } = { id: "" }] = await listDeliveries();
    await waitForState(id, "delivered");
    await end(task, 1, { ...completed, output: [] });
    await receiver.waitForCalls(2);
    expect(await post(`/webhooks/deliveries/${id}/replay`)).toMatchObject({
      id,
      state: "pending",
      attempts: 0,
    });
    const [, , third] = await receiver.waitForCalls(3);
    expect(third?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(JSON.parse(third?.body ?? "")).toMatchObject({
      targets: [{ status: "completed" }, { status: "completed" }],
    });
    expect((await api.post(`/webhooks/deliveries/${id}/replay`, {})).status).toBe(404);
  });

  it("[W13] shows the body and response of a delivery's last try, without signatures and secrets", async () => {
    const { secret } = await setWebhook();
    receiver.answer = (response, index) => response.writeHead(index === 0 ? 500 : 200).end(`answer ${index}`);
    await end(await createTask({ metadata: "Número 7" }), 0, completed);
    const calls = await receiver.waitForCalls(2);
    const [{ id } = { id: "" }] = await listDeliveries();
    await waitForState(id, "delivered");
    const sent = await get<SentWebhookDelivery>(`/webhooks/deliveries/${id}`);
    expect(sent).toMatchObject({ id, state: "delivered", attempts: 2, answer: "answer 1" });
    expect(sent.body).toBe(calls[1]?.body.replaceAll(/\?Expires=\d+&Signature=[0-9a-f]+/g, "?…"));
    expect(sent.body).toContain("Número 7");
    for (const hidden of ["Signature", secret]) expect(JSON.stringify(sent)).not.toContain(hidden);
    expect((await api.call(`/webhooks/deliveries/${id}`)).status).toBe(404);
    await api.database.pool.query("delete from deliveries where id = $1", [id]);
    const { rows } = await api.database.pool.query("select from delivery_bodies where delivery_id = $1", [
      id,
    ]);
    expect(rows).toEqual([]);
  });

  it("[W11] a replay goes to the account's current URL, and is refused without one", async () => {
    const { id: webhookId } = await setWebhook();
    await end(await createTask(), 0, completed);
    await receiver.waitForCalls(1);
    const [{ id } = { id: "" }] = await listDeliveries();
    await waitForState(id, "delivered");
    const next = await startReceiver();
    await setWebhook(next.url);
    await post(`/webhooks/deliveries/${id}/replay`);
    await next.waitForCalls(1);
    await waitForState(id, "delivered");
    await next.close();
    await api.call(`/webhooks/${webhookId}`, { method: "DELETE", key: account.key });
    const refused = api.post(`/webhooks/deliveries/${id}/replay`, {}, { key: account.key });
    expect(await codeOf(refused)).toBe("WEBHOOK_DISABLED");
  });
});
