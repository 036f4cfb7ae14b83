import { get, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import {
  asset as assetSchema,
  type Target,
  type Task,
  target as targetSchema,
  task as taskSchema,
} from "@stemwright/contract";
import { Agent, EventSource } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { beginRun } from "../../../../../test/support/begin-run.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { revokeKey } from "../../../db/accounts/key-rows.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";
import { setProgress } from "../../../db/tasks/task-rows.ts";

let api: TestApi;
let assetId: string;
const streams: Stream[] = [];
beforeAll(async () => {
  api = await startTestApi();
  assetId = assetSchema.parse(await (await api.upload(TONE, "a.wav")).json()).id;
});
afterEach(() => {
  for (const { response } of streams.splice(0)) response.destroy();
});
afterAll(() => api.close());

type Stream = {
  response: IncomingMessage;
  events: { id: string; name: string; data: unknown }[];
  ended: Promise<void>;
};

async function openStream(
  id: string,
  { account, address }: Pick<TestApi, "account" | "address"> = api,
  { lastEventId, query = "" }: { lastEventId?: string | undefined; query?: string } = {},
): Promise<Stream> {
  const headers = {
    "x-api-key": account.key,
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(new URL(`/tasks/${id}/events${query}`, address), { headers }, resolve).on("error", reject);
  const response = await promise;
  const events: Stream["events"] = [];
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const [, name = ""] = /^event: (.*)$/m.exec(part) ?? [];
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      const [, id = ""] = /^id: (.*)$/m.exec(part) ?? [];
      if (data !== undefined) events.push({ id, name, data: JSON.parse(data) });
    }
  });
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  const stream = { response, events, ended };
  streams.push(stream);
  return stream;
}

const TONE = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
const createTask = async (account = api.account, from = api) => {
  const targets = ["vocals", "drums"].map((model) => ({ model, formats: ["wav"] }));
  const isFirst = account.key === api.account.key;
  const { id } = isFirst
    ? { id: assetId }
    : assetSchema.parse(await (await from.upload(TONE, "a.wav", account)).json());
  return (await (await from.post("/tasks", { assetId: id, targets }, account)).json()) as Task;
};
const end = (task: Task, index: number) =>
  api.database.db.transaction().execute((tx) =>
    endTarget(tx, {
      taskId: task.id,
      targetId: task.targets[index]?.id ?? "",
      end: { status: "completed", durationSeconds: 30, output: [] },
    }),
  );
const cancel = (id: string) => api.call(`/tasks/${id}/cancel`, { method: "POST" });
/** How many database connections LISTEN for changes. */
const countListeners = async () =>
  (
    await api.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'stemwright changes'",
    )
  ).rowCount;

describe("the events of a Task", () => {
  it("[T13] report each target's state and progress as they change, then the Task, then end", async () => {
    const task = await createTask();
    const { response, events, ended } = await openStream(task.id);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "*",
    });
    await expect.poll(() => events.length).toBe(2);
    expect(events.map(({ data }) => targetSchema.parse(data))).toEqual(task.targets);

    const run = await beginRun(api.database.db, task.id);
    await expect.poll(() => events.length).toBe(4);
    const [vocalsId = "", drumsId = ""] = task.targets.map(({ id }) => id);
    await setProgress(api.database.db, run, [
      { targetId: vocalsId, progress: 0.5, secondsLeft: 30 },
      { targetId: drumsId, progress: 0.25, secondsLeft: 90 },
    ]);
    await expect.poll(() => events.length).toBe(6);
    const [vocals, drums] = events.slice(4).map(({ data }) => data as Target);
    expect(vocals).toMatchObject({ model: "vocals", progress: 0.5, queuePosition: 0 });
    expect(drums).toMatchObject({ model: "drums", progress: 0.25, queuePosition: 0 });
    expect((drums?.etaSeconds ?? 0) - (vocals?.etaSeconds ?? 0)).toBeGreaterThanOrEqual(59);
    // An event about one target does not repeat the others.
    await setProgress(api.database.db, run, [{ targetId: drumsId, progress: 0.1 }]);
    await expect.poll(() => events.length).toBe(7);
    expect(events[6]?.data).toMatchObject({ model: "drums", progress: 0.25 });
    await end(task, 0);
    await expect.poll(() => events.length).toBe(8);
    expect(events[7]?.data).toMatchObject({ model: "vocals", status: "completed", cost: 1 });

    await end(task, 1);
    await ended;
    expect(events.slice(8).map(({ name }) => name)).toEqual(["target", "task"]);
    const last = taskSchema.parse(events[9]?.data);
    expect(last.completedAt).not.toBeNull();
    expect(last).toEqual(await (await api.call(`/tasks/${task.id}`)).json());
  });

  it("[T13] of a finished Task are its targets and itself, at once", async () => {
    const { id } = await createTask();
    await cancel(id);
    const { events, ended } = await openStream(id);
    await ended;
    expect(events.map(({ name }) => name)).toEqual(["target", "target", "task"]);
  });

  it("[T13] end when the Task is deleted", async () => {
    const { id } = await createTask();
    const { events, ended } = await openStream(id);
    await expect.poll(() => events.length).toBe(2);
    await api.call(`/tasks/${id}`, { method: "DELETE" });
    await ended;
    expect(events.at(-1)).toMatchObject({ name: "deleted", data: { id } });
    const again = await openStream(id, api, { lastEventId: events.at(-1)?.id });
    expect(again.response.statusCode).toBe(204);
    expect((await openStream(id)).response.statusCode).toBe(404);
  });

  it("[T19] resume where the reader left off", async () => {
    const task = await createTask();
    const first = await openStream(task.id);
    await expect.poll(() => first.events.length).toBe(2);
    expect(new Set(first.events.map(({ id }) => id)).size).toBe(2);
    const [half, whole] = first.events.map(({ id }) => id);
    first.response.destroy();
    const second = await openStream(task.id, api, { lastEventId: half });
    await expect.poll(() => second.events.length).toBe(1);
    expect(second.events[0]).toMatchObject({ id: whole, data: { model: "drums" } });
    second.response.destroy();
    await end(task, 0);
    const third = await openStream(task.id, api, { lastEventId: whole });
    await expect.poll(() => third.events.length).toBeGreaterThanOrEqual(1);
    expect(third.events[0]).toMatchObject({ data: { model: "vocals", status: "completed" } });
    await end(task, 1);
    await third.ended;
    expect(third.events.at(-1)?.name).toBe("task");
    const after = await openStream(task.id, api, { lastEventId: third.events.at(-1)?.id });
    expect(after.response.statusCode).toBe(204);
    const unknown = await openStream(task.id, api, { lastEventId: "of another Task" });
    await unknown.ended;
    expect(unknown.events.map(({ name }) => name)).toEqual(["target", "target", "task"]);
  });

  it("[T19] [T13] an EventSource receives them all, and stops when there are no more", async () => {
    const task = await createTask();
    const requests: (string | undefined)[] = [];
    const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
      const headers = options.headers as Record<string, string>;
      requests.push(headers["last-event-id"]);
      return dispatch({ ...options, headers: { ...headers, "x-api-key": api.account.key } }, handler);
    });
    const source = new EventSource(new URL(`/tasks/${task.id}/events`, api.address).href, {
      node: { dispatcher, reconnectionTime: 10 },
    });
    const received: string[] = [];
    for (const name of ["target", "task"]) source.addEventListener(name, () => void received.push(name));
    await expect.poll(() => received.length).toBe(2);
    await end(task, 0);
    await end(task, 1);
    await expect.poll(() => source.readyState, { timeout: 10_000 }).toBe(EventSource.CLOSED);
    expect(received.filter((name) => name === "task")).toHaveLength(1);
    expect(requests).toEqual([undefined, "complete"]);
    await dispatcher.close();
  });

  it("[T13] reach a hundred listeners over one database connection", async () => {
    const { id } = await createTask();
    const opened = await Promise.all(Array.from({ length: 100 }, () => openStream(id)));
    await expect.poll(() => opened.every(({ events }) => events.length === 2)).toBe(true);
    expect(await countListeners()).toBe(1);
    await cancel(id);
    await Promise.all(opened.map(({ ended }) => ended));
    expect(opened.every(({ events }) => events.at(-1)?.name === "task")).toBe(true);
  });

  it("[T13] continue after the LISTEN connection was lost", async () => {
    const { id } = await createTask();
    const { events, ended } = await openStream(id);
    await expect.poll(() => events.length).toBe(2);
    await api.database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'stemwright changes'",
    );
    await cancel(id);
    await ended;
    expect(events.at(-1)?.name).toBe("task");
  });

  it("[T13] [E4] need the key, and the Task to be one's own", async () => {
    const { id } = await createTask();
    expect((await api.call(`/tasks/${id}/events`, { key: null })).status).toBe(401);
    expect((await api.call(`/tasks/${id}/events`, await api.addAccount())).status).toBe(404);
    expect((await api.call("/tasks/nothing-of-that-id/events")).status).toBe(404);
    const head = await api.call(`/tasks/${id}/events`, { method: "HEAD" });
    expect(head.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  });

  it("[T13] free their slots when clients leave before the first event", async () => {
    const { id } = await createTask();
    const countLogged = (message: string) => api.logLines.filter((line) => line.includes(message)).length;
    const headers = { "x-api-key": api.account.key };
    const holder = await api.database.pool.connect();
    try {
      for (let round = 0; round < 5; round += 1) {
        await holder.query("begin; lock table tasks in access exclusive mode");
        const arrived = countLogged("incoming request");
        const leaving = Array.from({ length: 201 }, () =>
          get(new URL(`/tasks/${id}/events`, api.address), { headers, agent: false }).on("error", () => {}),
        );
        await expect.poll(() => countLogged("incoming request")).toBe(arrived + leaving.length);
        for (const request of leaving) request.destroy();
        // Nothing shows when the server has noticed that they left; if it notices later, this tests less.
        await wait(50);
        await holder.query("commit");
      }
    } finally {
      holder.release();
    }
    await expect.poll(async () => (await api.call(`/tasks/${id}`)).status).toBe(200);
    const { response, events } = await openStream(id);
    expect(response.statusCode).toBe(200);
    await expect.poll(() => events.length).toBe(2);
  });

  it("[K7] end when the key they were opened with is revoked, and when its client is suspended", async () => {
    const admin = await api.addAccount({ role: "admin" });
    const follow = async (account: TestAccount, query = "") => {
      const { id } = await createTask(account.key === admin.key ? api.account : account);
      const { response, ended } = await openStream(id, { ...api, account }, { query });
      expect(response.statusCode).toBe(200);
      return { response, ended };
    };
    const revoked = await api.addAccount();
    const suspended = await api.addAccount();
    const kept = await follow(api.account);
    const acting = await follow(admin, `?clientId=${api.account.clientId}`);
    const ending = [await follow(revoked), await follow(revoked), await follow(suspended)];
    await api.call(`/admin/keys/${revoked.keyId}`, { method: "DELETE", key: admin.key });
    await api.call(`/admin/clients/${suspended.clientId}/suspend`, { method: "POST", key: admin.key });
    const startMs = performance.now();
    await Promise.all(ending.map(({ ended }) => ended));
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(kept.response.closed).toBe(false);
    await revokeKey(api.database.db, admin.keyId);
    await acting.ended;
    expect(kept.response.closed).toBe(false);
  });

  it("[T13] are limited per client and in total", async () => {
    const small = await startTestApi({ EVENT_STREAMS_PER_CLIENT: "2", EVENT_STREAMS_MAX: "3" });
    const other = await small.addAccount();
    const { id } = await createTask(small.account, small);
    const { id: otherId } = await createTask(other, small);
    const open = [await openStream(id, small), await openStream(id, small)];
    const refused = await small.call(`/tasks/${id}/events`);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "STREAMS_TOO_MANY" }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const theirs = await openStream(otherId, { ...small, account: other });
    expect(theirs.response.statusCode).toBe(200);
    const full = await small.call(`/tasks/${otherId}/events`, { key: other.key });
    expect([full.status, await full.json()]).toMatchObject([503, { code: "UNAVAILABLE" }]);
    open[0]?.response.destroy();
    await expect
      .poll(async () => {
        const again = await openStream(id, small);
        return again.response.statusCode;
      })
      .toBe(200);
    await small.close();
  });

  it("[T13] do not keep the service from stopping", async () => {
    const own = await startTestApi();
    try {
      const { id } = await createTask(own.account, own);
      const { events, ended } = await openStream(id, own);
      await expect.poll(() => events).toHaveLength(2);
      const closing = own.close();
      await ended;
      await closing;
    } catch (error) {
      await own.close().catch(() => {});
      throw error;
    }
  });
});
