import { spawn } from "node:child_process";
import type { lookup } from "node:dns";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Task } from "@stemwright/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { insertClient } from "../db/accounts/client-rows.ts";
import { openVault } from "../db/secrets/open-vault.ts";
import { endTarget } from "../db/tasks/target-ends.ts";
import { insertTask } from "../db/tasks/task-rows.ts";
import { listDeliveries, replayDelivery } from "../db/webhooks/delivery-rows.ts";
import { findWebhook, setWebhook } from "../db/webhooks/webhook-rows.ts";
import { makeId } from "../domain/ids.ts";
import { makeLinks } from "../domain/links.ts";
import { makeLog } from "../log/make-log.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { renderDelivery } from "./render-delivery.ts";
import {
  DELIVERY_DEFAULTS,
  type DeliveryOptions,
  type DeliveryPorts,
  startDeliveries,
} from "./start-deliveries.ts";

let database: TestDatabase;
let clientId: string;
let receiver: Receiver;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
  receiver = await openReceiver();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.pool.query("delete from deliveries");
});

async function openReceiver(): Promise<Receiver> {
  const opened = await startReceiver();
  closers.push(opened.close);
  return opened;
}

/** Shared by all processes of the installation. */
const encryptionKey = Buffer.alloc(32, 1);

const links = makeLinks({ secret: Buffer.alloc(32), baseUrl: () => "http://unused" });
const renderTask: DeliveryPorts["render"] = (delivery) =>
  renderDelivery(database.db, { links, outputLinks: { prepare: async () => links } }, delivery);

type StartOptions = { allowed?: string[]; lookUp?: typeof lookup; render?: DeliveryPorts["render"] };

function start(
  options: Partial<DeliveryOptions> = {},
  { allowed = ["127.0.0.1"], lookUp, render = renderTask }: StartOptions = {},
) {
  const guard = makeAddressGuard(allowed, { lookUp });
  const deliveries = startDeliveries(
    {
      db: database.db,
      vault: openVault({ key: encryptionKey, keyFile: "" }),
      guard,
      log: makeLog({ logLevel: "silent", logFile: undefined }, "test"),
      mayTake: () => true,
      render,
    },
    { pollIntervalMs: 30, retryDelaysMs: [100, 200, 100], timeoutMs: 1000, ...options },
  );
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await deliveries.close();
    await guard.close();
  };
  closers.push(close);
  return { close };
}

/** A Task whose only target has ended: one delivery is due. */
async function endTask(webhookUrl?: string): Promise<string> {
  const id = makeId();
  const target = { id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 };
  const own = webhookUrl === undefined ? {} : { webhookUrl };
  const task = { id, clientId, createdAt: new Date(), assetId: makeId(), targets: [target], ...own };
  const error = { code: 9002, message: "Abandoned" };
  await database.db.transaction().execute(async (tx) => {
    await insertTask(tx, task);
    await endTarget(tx, { taskId: id, targetId: target.id, end: { status: "error", error } });
  });
  return id;
}

async function findDelivery(taskId: string) {
  const { items } = await listDeliveries(database.db, clientId, { taskId, skip: 0, take: 1 });
  const [delivery] = items;
  if (!delivery) throw new Error("no delivery");
  return delivery;
}
const waitForState = (taskId: string, state: string) =>
  expect.poll(async () => (await findDelivery(taskId)).state, { timeout: 20_000, interval: 20 }).toBe(state);

it("[W6] [W9] the limits are those of the specification", () => {
  expect(DELIVERY_DEFAULTS).toMatchObject({ timeoutMs: 15_000, perReceiver: 4, perClient: 16 });
  expect(DELIVERY_DEFAULTS.retryDelaysMs).toHaveLength(9);
});

describe("a delivery that fails", () => {
  it("[W6] counts a try whose payload could not be built", async () => {
    let renders = 0;
    const render: DeliveryPorts["render"] = async (delivery) => {
      renders += 1;
      if (renders < 3) throw new Error("not now");
      return await renderTask(delivery);
    };
    start({}, { render });
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "delivered");
    expect(await findDelivery(taskId)).toMatchObject({ attempts: 3 });
  });

  it("[W6] gives up after the last try if no payload can be built, and reveals no internals", async () => {
    start({ retryDelaysMs: [20] }, { render: () => Promise.reject(new Error("never")) });
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "failed");
    expect(await findDelivery(taskId)).toMatchObject({
      attempts: 2,
      lastError: "The service failed to build the payload",
    });
  });

  it("[W6] is retried on schedule until it is delivered", async () => {
    receiver.answer = (response, index) => response.writeHead(index < 2 ? 500 : 200).end();
    start();
    const taskId = await endTask(receiver.url);
    const calls = await receiver.waitForCalls(3);
    await waitForState(taskId, "delivered");
    const waits = calls.slice(1).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(100);
    expect(waits[1]).toBeGreaterThanOrEqual(200);
    expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await findDelivery(taskId)).toMatchObject({ attempts: 3, lastStatusCode: 200 });
  });

  it("[W6] is given up after the last try", async () => {
    receiver.answer = (response) => response.writeHead(404).end();
    start();
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "failed");
    expect(receiver.calls).toHaveLength(4);
    expect(await findDelivery(taskId)).toMatchObject({ attempts: 4, lastError: "The receiver answered 404" });
  });

  it("[W6] a redirect is a failure, and is not followed", async () => {
    const elsewhere = await openReceiver();
    receiver.answer = (response) => response.writeHead(307, { location: elsewhere.url }).end();
    start({ retryDelaysMs: [] });
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "failed");
    expect(await findDelivery(taskId)).toMatchObject({ lastStatusCode: 307 });
    expect(elsewhere.calls).toEqual([]);
  });

  it("[W6] no answer within the limit is a failure, even if bytes keep coming", async () => {
    receiver.answer = (response) => {
      // Header lines that never end.
      const timer = setInterval(() => response.socket?.write("x"), 50);
      response.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ");
      response.on("close", () => clearInterval(timer));
    };
    start({ retryDelaysMs: [], timeoutMs: 400 });
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "failed");
    expect(await findDelivery(taskId)).toMatchObject({ lastError: "No answer within 0.4 s" });
  });

  it("[W7] a 410 disables the account's URL, until it is set again", async () => {
    await setWebhook(database.db, clientId, receiver.url);
    receiver.answer = (response) => response.writeHead(410).end();
    const waiting = await endTask();
    await database.pool.query("update deliveries set due_at = now() + interval '1 hour'");
    start();
    const taskId = await endTask();
    await waitForState(taskId, "failed");
    expect(await findDelivery(taskId)).toMatchObject({ attempts: 1, lastStatusCode: 410 });
    expect((await findDelivery(waiting)).state).toBe("failed");
    expect(await findWebhook(database.db, clientId)).toMatchObject({ isEnabled: false });
    await expect(findDelivery(await endTask())).rejects.toThrow("no delivery");

    receiver.answer = (response) => response.writeHead(200).end();
    await setWebhook(database.db, clientId, receiver.url);
    await replayDelivery(database.db, clientId, (await findDelivery(waiting)).id);
    await waitForState(waiting, "delivered");
  });

  it("[W7] a 410 from a Task's own URL ends that delivery, and leaves the account's URL alone", async () => {
    await setWebhook(database.db, clientId, "https://example.com/hook");
    receiver.answer = (response) => response.writeHead(410).end();
    start();
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "failed");
    expect(receiver.calls).toHaveLength(1);
    expect(await findWebhook(database.db, clientId)).toMatchObject({ isEnabled: true });
  });
});

describe("receivers", () => {
  it("[W9] one that never answers gets a few concurrent calls, and delays no other", async () => {
    receiver.answer = () => {};
    const other = await openReceiver();
    start({ timeoutMs: 3000, concurrency: 8, perReceiver: 2, perClient: 4 });
    for (let index = 0; index < 12; index += 1) await endTask(receiver.url);
    await receiver.waitForCalls(2);
    const startedAtMs = Date.now();
    for (let index = 0; index < 5; index += 1) await endTask(other.url);
    await other.waitForCalls(5);
    expect(Date.now() - startedAtMs).toBeLessThan(2500);
    expect(receiver.calls).toHaveLength(2);
  });

  it("[W9] one account's slow receivers leave room for another's, even at the same host", async () => {
    start({ timeoutMs: 3000, concurrency: 4, perReceiver: 1, perClient: 2 });
    const slow = await Promise.all([1, 2, 3, 4].map(openReceiver));
    for (const one of slow) {
      one.answer = () => {};
      await endTask(one.url);
    }
    await expect.poll(() => slow.filter(({ calls }) => calls.length > 0).length).toBe(2);
    clientId = makeId();
    await insertClient(database.db, { id: clientId, name: "Another" });
    const shared = slow.find(({ calls }) => calls.length > 0);
    if (!shared) throw new Error("no call");
    shared.answer = (response) => response.writeHead(200).end();
    for (const { url } of [await openReceiver(), shared]) await waitForState(await endTask(url), "delivered");
    expect(slow.filter(({ calls }) => calls.length > 0)).toHaveLength(2);
  });

  it("[W9] a dead one is recorded, and delays no other", async () => {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    listener.close();
    start({ retryDelaysMs: [60_000] });
    const dead = await endTask(`http://127.0.0.1:${port}/`);
    const taskId = await endTask(receiver.url);
    await waitForState(taskId, "delivered");
    await expect.poll(async () => (await findDelivery(dead)).attempts).toBe(1);
    expect(await findDelivery(dead)).toMatchObject({
      state: "pending",
      lastError: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("[W10] a private address is refused on each call, even after a DNS change", async () => {
    const answers = ["192.0.43.7", "127.0.0.1"];
    const lookUp = ((_name: string, _options: object, done: (error: null, all: object[]) => void) =>
      done(null, [{ address: answers.shift() ?? "127.0.0.1", family: 4 }])) as unknown as typeof lookup;
    start({ retryDelaysMs: [50], timeoutMs: 300 }, { allowed: [], lookUp });
    const { port } = new URL(receiver.url);
    const taskId = await endTask(`https://hooks.example:${port}/`);
    await waitForState(taskId, "failed");
    expect(await findDelivery(taskId)).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining("has no public address"),
    });
    expect(answers).toEqual([]);
    expect(receiver.calls).toEqual([]);
  });
});

describe("restarts", () => {
  it("[W8] a delivery in flight is returned when the service stops, and made by the next process", async () => {
    receiver.answer = (response, index) => {
      if (index > 0) response.writeHead(200).end();
    };
    const first = start({ timeoutMs: 30_000 });
    const taskId = await endTask(receiver.url);
    await receiver.waitForCalls(1);
    await first.close();
    expect(await findDelivery(taskId)).toMatchObject({ state: "pending", attempts: 0 });
    start();
    await waitForState(taskId, "delivered");
    expect(await findDelivery(taskId)).toMatchObject({ attempts: 1 });
  });

  it("[W8] two processes at once make each delivery once", async () => {
    start();
    start();
    const taskIds = await Promise.all(Array.from({ length: 20 }, () => endTask(receiver.url)));
    for (const taskId of taskIds) await waitForState(taskId, "delivered");
    expect(receiver.calls).toHaveLength(20);
  });

  it("[W8] a SIGKILL in the middle of a call loses nothing: another process makes it after thirty seconds", async () => {
    receiver.answer = (response, index) => {
      if (index > 0) response.writeHead(200).end();
    };
    const service = await startServiceProcess();
    const taskId = await endTask(receiver.url);
    await receiver.waitForCalls(1);
    await service.kill();
    start();
    const { rows } = await database.pool.query(
      "update deliveries set due_at = due_at - interval '30 seconds', claimed_until = claimed_until - interval '30 seconds' where task_id = $1 returning claimed_until > now() - interval '30 seconds' as was_claimed",
      [taskId],
    );
    expect(rows).toEqual([{ was_claimed: true }]);
    await waitForState(taskId, "delivered");
    const [lost, made] = receiver.calls;
    expect(made?.headers["webhook-id"]).toBe(lost?.headers["webhook-id"]);
    expect((JSON.parse(made?.body ?? "") as Task).id).toBe(taskId);
  });
});

/** The API without workers, in a separate process. */
async function startServiceProcess() {
  const dataDir = await makeTempDir("deliveries");
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(import.meta.dirname, "..", "main.ts"), "api"], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: "0",
      URL_ALLOW_PRIVATE: "127.0.0.1",
      ENCRYPTION_KEY: encryptionKey.toString("hex"),
      LOG_LEVEL: "silent",
      NODE_ENV: "",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  closers.push(kill);
  // Read to the end: a process whose output is not read dies.
  await new Promise<void>((resolve) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      if (output.includes("ready at")) resolve();
    });
  });
  return { kill };
}
