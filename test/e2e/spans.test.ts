import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Asset, Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { findFreePort } from "../faults/find-free-port.ts";
import { toWav } from "../support/audio.ts";
import { makeCompanyEnvironment } from "../support/company-environment.ts";
import { type MainProcess, startMain } from "../support/main-process.ts";
import type { S3Bucket } from "../support/s3-objects.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openEmptyDatabase, type TestDatabase } from "../support/test-database.ts";

const KEY = "sw_SpansOfRealNetworksAreTestedWithThisKey00";
const BUCKET = "spans";
/** Four spans of about two segments each of the dialogue network. */
const SONG = { sampleRateHz: 44_100, lengthFrames: 40 * 44_100 };
const SPLIT_INPUT_SECONDS = "30";
/** The network takes as long as the song lasts, on a busy core. */
const TIMEOUT_MS = 1_200_000;
const PATIENCE = { timeout: TIMEOUT_MS, interval: 100 };
/** For effects that follow at once. */
const SOON = { timeout: 90_000, interval: 100 };

let dir: string;
let database: TestDatabase;
let store: S3Server;
let bucket: S3Bucket;
let environment: Record<string, string>;
let base: string;
let assetId: string;
const running = new Map<string, MainProcess>();

/** Each with a separate data folder, as on separate machines: they share database and bucket. */
async function start(name: "api" | `worker-${number}`, own: Record<string, string> = {}): Promise<void> {
  const settings = { ...environment, SPLIT_INPUT_SECONDS, CACHE_SIZE_BYTES: "0", ...own };
  const process = startMain([name.split("-")[0] ?? ""], { ...settings, DATA_DIR: join(dir, name) });
  running.set(name, process);
  await process.waitFor(name === "api" ? "Stop with" : "worker started");
}

beforeAll(async () => {
  dir = await makeTempDir("spans");
  database = await openEmptyDatabase();
  store = await startS3Server();
  bucket = store.addBucket(BUCKET);
  const { endpoint } = store;
  environment = makeCompanyEnvironment({ databaseUrl: database.url, bucket: BUCKET, endpoint, apiKey: KEY });
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  await start("api", { PORT: String(port) });
  const form = new FormData();
  const song = toWav({ sampleRateHz: SONG.sampleRateHz, channels: makeSyntheticSong(SONG) });
  form.append("file", new File([song], "song.wav"));
  assetId = (await call<Asset>("/assets", form)).id;
});
afterAll(async () => {
  await Promise.all([...running.values()].map((one) => one.stop()));
  await store.close();
  await database.close();
  await rm(dir, { recursive: true, force: true });
});

/** A POST if there is a body, else a GET. */
async function call<Answer>(path: string, body?: FormData | object): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${base}${path}`, {
    method: body ? "POST" : "GET",
    headers: { "x-api-key": KEY, ...(body && !isForm ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

const createTask = async () =>
  (await call<Task>("/tasks", { assetId, targets: [{ model: "dialogue", formats: ["wav"] }] })).id;

/** The bytes of its only output, once it has ended. */
async function readOutput(id: string): Promise<Buffer> {
  const load = async () => (await call<Task>(`/tasks/${id}`)).targets[0];
  await expect.poll(async () => (await load())?.status, PATIENCE).not.toBe("processing");
  const target = await load();
  expect(target).toMatchObject({ status: "completed" });
  return Buffer.from(await (await fetch(target?.output[0]?.link ?? "")).arrayBuffer());
}

/** The first row that the query finds while the Task runs. */
async function findWhileRunning<Row extends object>(taskId: string, text: string, values: unknown[]) {
  for (;;) {
    const { rows } = await database.pool.query<Row>(text, values);
    if (rows[0]) return rows[0];
    const { targets } = await call<Task>(`/tasks/${taskId}`);
    if (targets[0]?.status !== "processing")
      throw new Error(`the Task has ended before there was one: ${text}`);
    await wait(PATIENCE.interval);
  }
}

type Helped = { part: string; number: number; worker_id: string; pid: number };
/** A span that a helper is working on. */
const findHelped = (taskId: string) =>
  findWhileRunning<Helped>(
    taskId,
    `select part, number, worker_id, pid from spans join workers on workers.id = worker_id
     where spans.task_id = $1 and share > 0 and stored_key is null and claimed_until > now()`,
    [taskId],
  );
/** The same span in the hands of another worker. */
const findSuccessor = (taskId: string, { part, number, worker_id }: Helped) =>
  findWhileRunning(
    taskId,
    "select from spans where part = $1 and number = $2 and (is_own or (run_token is not null and worker_id <> $3))",
    [part, number, worker_id],
  );

const listRows = async (text: string, values: unknown[] = []) =>
  (await database.pool.query(text, values)).rows;
/** A worker that had nothing to do has no work folder. */
const listWorkDirs = async (names: string[]) =>
  (await Promise.all(names.map((name) => readdir(join(dir, name, "work")).catch(() => [])))).flat();
/** The engine processes of the workers. */
async function listEngines(names: string[]): Promise<string[]> {
  const pids = names.map((name) => running.get(name)?.process.pid);
  const children = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/task/${pid}/children`, "utf8")),
  );
  const commands = await Promise.all(
    children
      .flatMap((line) => line.split(" ").filter(Boolean))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return commands.filter((command) => command.includes("/engine/process/"));
}

async function expectNothingLeft(names: string[]): Promise<void> {
  await expect.poll(() => listRows("select from span_parts"), SOON).toEqual([]);
  const listStored = () => [...bucket.objects.keys()].filter((key) => key.includes("/spans/"));
  await expect.poll(listStored, SOON).toEqual([]);
  await expect.poll(() => listWorkDirs(names), SOON).toEqual([]);
}

describe("a long input on two machines with a real network", () => {
  it(
    "[Q14] [Q15] loses a span at most to a SIGKILL in the middle of it, and gives the bytes of one worker",
    async () => {
      await start("worker-0");
      const alone = await readOutput(await createTask());
      expect(alone.length).toBeGreaterThan(1_000_000);
      await start("worker-1");
      const id = await createTask();
      const killed = await findHelped(id);
      const [name = ""] = [...running].find(([, { process }]) => process.pid === killed.pid) ?? [];
      await running.get(name)?.stop("SIGKILL");
      running.delete(name);
      await Promise.all([findSuccessor(id, killed), start("worker-2")]);
      expect((await readOutput(id)).equals(alone)).toBe(true);
      expect(await listRows("select attempts, last_error_name from tasks where id = $1", [id])).toEqual([
        { attempts: 1, last_error_name: null },
      ]);
      await expectNothingLeft([...running.keys()].filter((one) => one !== "api"));
    },
    TIMEOUT_MS,
  );

  it(
    "[Q16] that is cancelled stops on both, and leaves nothing behind",
    async () => {
      const workers = [...running.keys()].filter((name) => name !== "api");
      expect(workers).toHaveLength(2);
      const id = await createTask();
      await findHelped(id);
      expect(await listEngines(workers)).toHaveLength(2);
      await call(`/tasks/${id}/cancel`, {});
      await expect.poll(() => listEngines(workers), SOON).toEqual([]);
      await expectNothingLeft(workers);
      const pids = workers.map((name) => running.get(name)?.process.pid);
      const listBusy = () =>
        listRows("select from workers where pid = any($1) and task_id is not null", [pids]);
      await expect.poll(listBusy, SOON).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
