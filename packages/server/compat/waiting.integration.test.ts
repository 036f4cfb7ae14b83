import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "@stemwright/contract";
import { afterEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../test/support/audio.ts";
import { makeSpeakingEngine } from "../../../test/support/speaking-engine.ts";
import { startTestApi, type TestAccount, type TestApi } from "../../../test/support/test-api.ts";
import { type RunEngine, startWorkerOfApi, workUntilAborted } from "../../../test/support/test-worker.ts";
import { loadConfig } from "../config/load-config.ts";
import { revokeKey } from "../db/accounts/key-rows.ts";
import { makeLog } from "../log/make-log.ts";
import { startApi } from "../start/start-api.ts";

const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 200 }));
const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function start(environment: Record<string, string> = {}, run?: RunEngine): Promise<TestApi> {
  const api = await startTestApi(environment);
  closings.push(() => api.close());
  if (run) {
    const worker = await startWorkerOfApi(api, run);
    closings.unshift(() => worker.close());
  }
  return api;
}

const send = (api: TestApi, init: RequestInit & { key?: string } = {}, path = "/v1/audio/transcriptions") => {
  const body = new FormData();
  body.append(path === "/asr" ? "audio_file" : "file", new File([wav], "a.wav"));
  return api.call(path, { method: "POST", body, ...init });
};
const list = async (api: TestApi, path: string, account: TestAccount = api.account) =>
  (await (await api.call(path, account)).json()) as Task[];
const waitForTasks = (api: TestApi, count: number, account?: TestAccount) =>
  expect.poll(() => list(api, "/tasks", account)).toHaveLength(count);
const expectNothingLeft = async (api: TestApi) => {
  await waitForTasks(api, 0);
  expect(await list(api, "/assets")).toEqual([]);
};

/** Runs until stopped, and reports its start and its end. */
function makeEndlessEngine() {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const run: RunEngine = (request, hooks) => {
    started.resolve();
    return workUntilAborted(request, hooks).finally(() => stopped.resolve());
  };
  return { run, started: started.promise, stopped: stopped.promise };
}

describe("a waiting request", () => {
  it("[J17] is 503 if its Task does not start in time, and can be repeated", async () => {
    const api = await start({ WAIT_START_SECONDS: "1" });
    for (const path of ["/v1/audio/transcriptions", "/asr"]) {
      const response = await send(api, {}, path);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("30");
      expect(JSON.stringify(await response.json())).toMatch(/QUEUE_SLOW|queue_slow/);
    }
    await expectNothingLeft(api);
  });

  it("[J17] is 504 if its Task takes too long, which cancels it; clients should not repeat it", async () => {
    const engine = makeEndlessEngine();
    const api = await start({ WAIT_START_SECONDS: "0", WAIT_MAX_SECONDS: "2" }, engine.run);
    const response = await send(api);
    expect(response.status).toBe(504);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({ error: { code: "wait_too_long", type: "server_error" } });
    await engine.stopped;
    await expectNothingLeft(api);
  });

  it("[J17] cancels its Task when the client closes the connection", async () => {
    const engine = makeEndlessEngine();
    const api = await start({}, engine.run);
    const leaving = new AbortController();
    const request = send(api, { signal: leaving.signal });
    await engine.started;
    leaving.abort();
    await expect(request).rejects.toThrow();
    await engine.stopped;
    await expectNothingLeft(api);
  });

  it("[J17] ends when its key is revoked, or another request cancels its Task", async () => {
    const api = await start();
    const other = await api.addAccount();
    const revoked = send(api, { key: other.key });
    const cancelled = send(api);
    await waitForTasks(api, 1);
    await waitForTasks(api, 1, other);
    const [task] = await list(api, "/tasks");
    await api.call(`/tasks/${task?.id}/cancel`, { method: "POST" });
    expect(await (await cancelled).json()).toMatchObject({ error: { code: "task_cancelled" } });
    expect((await cancelled).status).toBe(409);
    await revokeKey(api.database.db, other.keyId);
    expect((await revoked).status).toBe(401);
  });

  it("[J17] gets a 503 from a stopping service, and leaves nothing behind", async () => {
    const api = await start();
    const config = loadConfig({ PORT: "0", DATA_DIR: api.dataDir });
    const log = makeLog({ logLevel: "silent", logFile: undefined }, "api");
    const stopping = await startApi({ config, databaseUrl: api.database.url, log });
    const request = send(
      { ...api, call: (path, init) => fetch(`${stopping.address}${path}`, init) },
      {
        headers: { authorization: `Bearer ${api.account.key}` },
      },
    );
    await waitForTasks(api, 1);
    await stopping.close();
    const response = await request;
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
    await expectNothingLeft(api);
  });

  it("[J17] may be quiet for longer than other connections", async () => {
    const engine = makeSpeakingEngine();
    const api = await start({ IDLE_TIMEOUT_SECONDS: "1" }, async (request, hooks) => {
      await sleep(2500);
      await engine.run(request, hooks);
    });
    expect((await send(api)).status).toBe(200);
  });

  it("[J17] does not count as an upload, and their number is limited", async () => {
    const api = await start({ UPLOADS_AT_ONCE: "2", EVENT_STREAMS_PER_CLIENT: "2" });
    const leaving = new AbortController();
    const waiting = [1, 2].map(() => send(api, { signal: leaving.signal }));
    await waitForTasks(api, 2);
    expect((await api.upload(wav, "a.wav")).status).toBe(200);
    const refused = await send(api);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: "streams_too_many" } });
    leaving.abort();
    await Promise.allSettled(waiting);
  });
});

describe("the Task of a waiting request", () => {
  it("[J16] costs what every Task costs, and stays counted", async () => {
    const engine = makeSpeakingEngine();
    const api = await start({}, engine.run);
    expect((await send(api)).status).toBe(200);
    expect(await list(api, "/tasks/statistics?name=distribution")).toMatchObject([
      { model: "transcription", totalTargets: 1, totalCredits: 1 },
    ]);
  });

  it("[J16] is created once per Idempotency-Key", async () => {
    const engine = makeSpeakingEngine();
    const api = await start({}, engine.run);
    const headers = { "idempotency-key": "once" };
    const first = await send(api, { headers });
    const second = await send(api, { headers });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await second.json()).toEqual(await first.json());
    expect(engine.targets).toHaveLength(1);
    await expectNothingLeft(api);
  });
});
