import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Asset, Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../faults/find-free-port.ts";
import { makeDetectionRecipe } from "../faults/recipes.ts";
import { makeCompanyEnvironment } from "../support/company-environment.ts";
import { type MainProcess, startMain } from "../support/main-process.ts";
import { startS3Server } from "../support/s3-server.ts";
import { canMakeHosts, makeSilentHost, type SilentHost } from "../support/silent-host.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openEmptyDatabase, type TestDatabase } from "../support/test-database.ts";

const KEY = "sw_SilentDatabasesAreTestedWithThisKeyAlone0";
const BUCKET = "silent";
const REQUESTS = 12;
/** The limit of a statement and of the answer to it, and some for two busy cores. */
const ANSWERED_MS = 30_000;
/** A connection that is only held is used at least every 12 s, and given up 10 s later. */
const FOLLOWED_MS = 45_000;
const STOPPED_MS = 8000;

const isPossible = canMakeHosts();
if (!isPossible) console.warn("not root, or no iptables: tests with lost packets are skipped");

describe.skipIf(!isPossible)(
  "a database whose machine is gone, so that its packets are lost and nothing is reset",
  () => {
    let dir: string;
    let database: TestDatabase;
    let store: Awaited<ReturnType<typeof startS3Server>>;
    let first: SilentHost;
    let second: SilentHost;
    let base: string;
    let socketPath: string;
    let body: string;
    const healthPorts: number[] = [];
    const running: MainProcess[] = [];

    beforeAll(async () => {
      dir = await makeTempDir("silent");
      database = await openEmptyDatabase();
      store = await startS3Server();
      store.addBucket(BUCKET);
      [first, second] = [makeSilentHost(), makeSilentHost()];
      const url = new URL(database.url.replace("@/", "@local/"));
      socketPath = join(url.searchParams.get("host") ?? "", `.s.PGSQL.${url.searchParams.get("port")}`);
      await first.serve(socketPath);
      const hosts = `${first.address}:5432,${second.address}:5432`;
      const environment = makeCompanyEnvironment({
        databaseUrl: `postgresql://${url.username}:${url.password}@${hosts}${url.pathname}`,
        bucket: BUCKET,
        endpoint: store.endpoint,
        apiKey: KEY,
      });
      const start = async (name: string, own: Record<string, string>, sign: string) => {
        const started = startMain([name.split("-")[0] ?? ""], {
          ...environment,
          ...own,
          DATA_DIR: join(dir, name),
        });
        running.push(started);
        await started.waitFor(sign);
      };
      const port = await findFreePort();
      base = `http://127.0.0.1:${port}`;
      await start("api", { PORT: String(port), DRAIN_SECONDS: "0" }, "Stop with");
      for (const name of ["worker-0", "worker-1"]) {
        const healthPort = await findFreePort();
        healthPorts.push(healthPort);
        await start(name, { WORKER_HEALTH_PORT: String(healthPort) }, "worker started");
      }
      const { content, filename, targets } = makeDetectionRecipe();
      const form = new FormData();
      form.append("file", new File([content], filename));
      const { id: assetId } = (await (await call("/assets", { method: "POST", body: form })).json()) as Asset;
      body = JSON.stringify({ assetId, targets });
    });
    afterAll(async () => {
      await Promise.all(running.map((one) => one.stop("SIGKILL")));
      for (const host of [first, second]) await host[Symbol.asyncDispose]();
      await store.close();
      await database.close();
      await rm(dir, { recursive: true, force: true });
    });

    const call = (path: string, init: RequestInit = {}) =>
      fetch(new URL(path, base), { ...init, headers: { "x-api-key": KEY, ...init.headers } });
    const create = () =>
      call("/tasks", { method: "POST", body, headers: { "content-type": "application/json" } });
    /** Every request gets an answer within its limit. */
    async function createInTime(): Promise<{ status: number; isInTime: boolean }> {
      const startMs = performance.now();
      const { status } = await create();
      return { status, isInTime: performance.now() - startMs < ANSWERED_MS };
    }
    async function createUntilTaken(): Promise<string> {
      for (;;) {
        const response = await create();
        if (response.status === 200) return ((await response.json()) as Task).id;
        await wait(100);
      }
    }
    const findStatus = async (id: string) =>
      ((await (await call(`/tasks/${id}`)).json()) as Task).targets?.[0]?.status;

    it("[S35] APIs and workers follow to the host that accepts writes, and no request waits longer than its limit", async () => {
      const before = await createUntilTaken();
      await expect.poll(() => findStatus(before), { timeout: 60_000 }).toBe("completed");
      await first.fallSilent();
      const goneMs = performance.now();
      const early = Promise.all(Array.from({ length: REQUESTS }, createInTime));
      expect((await call("/health/ready")).status).toBe(503);
      await second.serve(socketPath);
      await expect.poll(async () => (await call("/health/ready")).status, { timeout: 10_000 }).toBe(200);
      const after = await createUntilTaken();
      const left = FOLLOWED_MS - (performance.now() - goneMs);
      await expect.poll(() => findStatus(after), { timeout: left }).toBe("completed");
      const answers = await early;
      expect(answers.filter(({ isInTime }) => !isInTime)).toEqual([]);
      expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
      for (const port of healthPorts)
        await expect
          .poll(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status, {
            timeout: FOLLOWED_MS,
          })
          .toBe(200);
    });

    it("[S2] [S35] every process stops on SIGTERM while no host answers", async () => {
      await second.fallSilent();
      void createInTime().catch(() => {});
      await expect.poll(async () => (await call("/health/ready")).status).toBe(503);
      const startMs = performance.now();
      const stops = await Promise.all(
        running.map(async (one) => ({ code: await one.stop(), tookMs: performance.now() - startMs })),
      );
      expect(stops.filter(({ code, tookMs }) => code !== 0 || tookMs > STOPPED_MS)).toEqual([]);
    });
  },
);
