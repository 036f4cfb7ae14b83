import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Agent, FormData, request } from "undici";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { makeTone, toWav } from "../test/support/audio.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { BENCH_KEY, startApiProcess } from "./api-process.ts";
import { describeRun } from "./machine.ts";
import type { Probe } from "./probe-health.ts";
import { percentile } from "./run-clients.ts";

/*
 * The API under more load than it can handle: 300 Tasks and 20 uploads at once, 150 estimates of unprobed files, 2,050 silent connections. Meanwhile
 * health is probed ten times a second, each time over a new connection.
 */
const TASKS = 300;
const UPLOADS = 20;
const UPLOAD_BYTES = 20_000_000;
const ESTIMATES = 150;
const SILENT_SOCKETS = 2050;
const SILENT_MS = 20_000;
const HEALTH = ["/health/live", "/health/ready"];
const SERVICE_CORE = 0;
const CLIENT_CORE = 1;

const lines: string[] = [];
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

type Answer = { status: number; tookMs: number; hasRetryAfter: boolean };

const agent = new Agent({ connections: null, headersTimeout: 120_000, bodyTimeout: 120_000 });
let address = "";

async function send(path: string, init: { body: string | FormData }): Promise<Answer & { text: string }> {
  const beganAt = performance.now();
  const json = typeof init.body === "string" ? { "content-type": "application/json" } : {};
  try {
    const { statusCode, headers, body } = await request(new URL(path, address), {
      method: "POST",
      dispatcher: agent,
      headers: { "x-api-key": BENCH_KEY, ...json },
      body: init.body,
    });
    const text = await body.text();
    const hasRetryAfter = headers["retry-after"] !== undefined;
    return { status: statusCode, tookMs: performance.now() - beganAt, hasRetryAfter, text };
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    return { status: 0, tookMs: performance.now() - beganAt, hasRetryAfter: false, text };
  }
}

const song = toWav(makeTone({ sampleRateHz: 44_100, channels: 2, lengthFrames: 44_100 }));
const toForm = (content: Uint8Array<ArrayBuffer>) => {
  const form = new FormData();
  form.append("file", new File([content], "song.wav"));
  return form;
};

/** This many unprobed assets. */
async function addAssets(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(10, count - ids.length) }, () => send("/assets", { body: toForm(song) })),
    );
    for (const { status, text } of answers) {
      if (status !== 200) throw new Error(`an upload was answered with ${status}: ${text}`);
      ids.push((JSON.parse(text) as { id: string }).id);
    }
  }
  return ids;
}

const toTask = (assetId: string) =>
  JSON.stringify({ assetId, targets: [{ model: "vocals", formats: ["wav"] }] });

/** Probes health while the load lasts. */
async function withProbes<Result>(
  paths: string[],
  load: () => Promise<Result>,
): Promise<{ probes: Probe[]; result: Result }> {
  const worker = new Worker(new URL("./probe-health.ts", import.meta.url), {
    workerData: { address, paths },
  });
  await once(worker, "online");
  await wait(500);
  const result = await load();
  await wait(500);
  worker.postMessage("stop");
  const [probes] = (await once(worker, "message")) as [Probe[]];
  return { probes, result };
}

const milliseconds = (value: number) => value.toFixed(0);

function toRow(name: string, answers: readonly (Answer | Probe)[]): string {
  const count = (...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status)).length;
  const times = answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  const served = answers
    .filter(({ status }) => status === 200)
    .map(({ tookMs }) => tookMs)
    .toSorted((a, b) => a - b);
  const share = ((100 * count(503)) / answers.length).toFixed(0);
  const figures = [
    percentile(times, 0.5),
    percentile(times, 0.99),
    percentile(times, 1),
    percentile(served, 0.5),
  ].map(milliseconds);
  return `| ${name} | ${answers.length} | ${count(200)} | ${count(503)} (${share} %) | ${count(0)} | ${figures.join(" | ")} |`;
}

const HEAD = [
  "",
  "| request | sent | 200 | 503 | no answer | p50 ms | p99 ms | worst ms | p50 ms of 200 |",
  "|---|---|---|---|---|---|---|---|---|",
];
const toProbeRows = (paths: readonly string[], probes: readonly Probe[]) =>
  paths.map((path) =>
    toRow(
      path,
      probes.filter((probe) => probe.path === path),
    ),
  );

async function measureTasks(): Promise<void> {
  const assetIds = await addAssets(TASKS);
  const file = new Uint8Array(UPLOAD_BYTES);
  const { probes, result } = await withProbes(HEALTH, () =>
    Promise.all([
      Promise.all(assetIds.map((assetId) => send("/tasks", { body: toTask(assetId) }))),
      Promise.all(Array.from({ length: UPLOADS }, () => send("/assets", { body: toForm(file) }))),
    ]),
  );
  report(
    "",
    `## ${TASKS} Tasks of new assets and ${UPLOADS} uploads of ${UPLOAD_BYTES / 1e6} MB at once`,
    ...HEAD,
    toRow("POST /tasks", result[0]),
    toRow("POST /assets", result[1]),
    ...toProbeRows(HEALTH, probes),
    "",
    `Of the 503, ${result[0].filter(({ status, hasRetryAfter }) => status === 503 && !hasRetryAfter).length} had no \`Retry-After\`.`,
  );
}

async function measureEstimates(): Promise<void> {
  const assetIds = await addAssets(ESTIMATES);
  const { probes, result } = await withProbes(HEALTH, () =>
    Promise.all(assetIds.map((assetId) => send("/tasks/estimate", { body: toTask(assetId) }))),
  );
  report(
    "",
    `## ${ESTIMATES} estimates of new assets at once`,
    ...HEAD,
    toRow("POST /tasks/estimate", result),
    ...toProbeRows(HEALTH, probes),
  );
}

async function measureSilence(): Promise<void> {
  const { hostname, port } = new URL(address);
  const sockets: Socket[] = [];
  const paths = [...HEALTH, "/models"];
  const { probes } = await withProbes(paths, async () => {
    for (let i = 0; i < SILENT_SOCKETS; i += 1)
      sockets.push(connect(Number(port), hostname).on("error", () => {}));
    await wait(SILENT_MS);
  });
  const open = sockets.filter(({ readyState }) => readyState === "open").length;
  for (const socket of sockets) socket.destroy();
  report(
    "",
    `## ${SILENT_SOCKETS} connections from one address that send nothing, for ${SILENT_MS / 1000} s`,
    ...HEAD,
    ...toProbeRows(paths, probes),
    "",
    `At the end ${open} of them were still open.`,
  );
}

/** Pins this process and its future children to a core. False if that is not possible. */
function pinTo(core: number): boolean {
  if (availableParallelism() < 2) return false;
  try {
    execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(process.pid)]);
    return true;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const dataDir = await makeTempDir("bench-overload");
  const isPinned = pinTo(SERVICE_CORE);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const api = await startApiProcess(dataDir, postgres.connectionString, { LOG_LEVEL: "silent" });
  address = api.address;
  pinTo(CLIENT_CORE);
  try {
    report("# The API under overload", "", ...describeRun());
    report("- one account on loopback, no worker beside it: `npm run bench overload`");
    report("- every request except the uploads is sent at once, each over a separate connection");
    if (isPinned)
      report("- the service, its database and its media processes share one core, the clients have another");
    await measureTasks();
    await measureEstimates();
    await measureSilence();
    // A trial with other sources is only printed.
    if (process.env.BENCH_TRIAL === undefined)
      await writeFile(join(import.meta.dirname, "results", "overload.md"), `${lines.join("\n")}\n`);
  } finally {
    await agent.destroy();
    await api.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main();
