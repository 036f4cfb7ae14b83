import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { makeSeededRandom } from "../../packages/engine/dsp/seeded-random.ts";
import { listProcesses } from "../support/service.ts";
import { openAccount } from "./account.ts";
import { auditCharges } from "./audit-charges.ts";
import { ageFiles, ageUnclaimedFiles, auditFiles } from "./audit-files.ts";
import { auditRequests } from "./audit-requests.ts";
import { auditAssets, auditOutputs, auditTasks } from "./audit-tasks.ts";
import { auditWebhooks } from "./audit-webhooks.ts";
import { makeCompanyInstallation } from "./company-installation.ts";
import { makeEmbeddedInstallation } from "./embedded-installation.ts";
import { fillInTurns } from "./fill-in-turns.ts";
import { type Finding, toFindings } from "./finding.ts";
import { ADMIN_KEY, type Installation, type Mode } from "./installation.ts";
import { killAtRandom } from "./killer.ts";
import { startReadinessProbe } from "./readiness-probe.ts";
import type { Recipe } from "./recipes.ts";
import { makeReferenceOutputs } from "./reference-outputs.ts";
import { makeStormLog, type StormLog } from "./storm-log.ts";
import { sumOutages, type VictimFigures } from "./sum-outages.ts";
import { startTaskStream } from "./task-stream.ts";
import { watchProcesses } from "./watch-processes.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const ACCOUNTS = 3;
const START_TIMEOUT_MS = 120_000;
/** The first sweep runs half a minute after a start. */
const SWEEP_WAIT_MS = 60_000;
const POLL_MS = 250;
const PROCESSES_WAIT_MS = 15_000;

export type StormOptions = {
  mode: Mode;
  /** The embedded installation is on a small disk, which is full half of the time. */
  isDiskSmall?: boolean;
  kills: number;
  durationMs: number;
  seed: number;
  recipes: readonly Recipe[];
  lanes: number;
  /** How long everything may take to settle after the last kill. */
  settleMs: number;
  say(line: string): void;
};

export type StormResult = {
  mode: Mode;
  findings: Finding[];
  victims: VictimFigures[];
  figures: {
    tasks: number;
    targets: number;
    webhooks: number;
    requests: number;
    unavailable: number;
    settleSeconds: number;
    fullDisks: number;
    openUploads: number;
  };
};

async function waitUntil(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  for (const deadlineMs = performance.now() + timeoutMs; !(await isTrue()); await wait(POLL_MS))
    if (performance.now() > deadlineMs) return false;
  return true;
}

const hasFirstAccount = ({ addresses: [address] }: Installation) =>
  fetch(`${address}/admin/clients`, { headers: { "x-api-key": ADMIN_KEY } }).then(
    ({ status }) => status === 200,
    () => false,
  );

async function withDatabase<Result>(
  installation: Installation,
  use: (db: pg.Client) => Promise<Result>,
): Promise<Result> {
  let connectionString: string | undefined;
  await waitUntil(async () => {
    connectionString = await installation.findDatabaseUrl();
    return connectionString !== undefined;
  }, START_TIMEOUT_MS);
  const db = new pg.Client({ connectionString });
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
}

/** Looks for stray files; any found must be gone after the first sweep of the next start. */
async function auditFilesAfterSweep(installation: Installation, isReady: () => boolean): Promise<Finding[]> {
  const look = () => withDatabase(installation, (db) => auditFiles(db, installation));
  const found = await look();
  if (found.length === 0) return found;
  await withDatabase(installation, ageUnclaimedFiles);
  await installation.stop();
  await ageFiles(installation);
  installation.start();
  await waitUntil(isReady, START_TIMEOUT_MS);
  await waitUntil(async () => (await look()).length === 0, SWEEP_WAIT_MS);
  return await look();
}

/** After a graceful stop, no process of the installation may be left. */
async function auditProcesses({ dataDirs }: Installation): Promise<Finding[]> {
  const listLeft = async () => (await Promise.all(dataDirs.map(listProcesses))).flat();
  await waitUntil(async () => (await listLeft()).length === 0, PROCESSES_WAIT_MS);
  const left = await listLeft();
  return toFindings(
    "processesStray",
    left.map(({ pid, commandLine }) => `${pid} ${commandLine}`),
  );
}

async function storm(installation: Installation, options: StormOptions, log: StormLog): Promise<StormResult> {
  const { recipes, settleMs, say } = options;
  const receiver = await startWebhookReceiver();
  const probe = startReadinessProbe(installation.addresses);
  installation.start();
  try {
    // It listens before the first account is created.
    if (!(await waitUntil(() => hasFirstAccount(installation), START_TIMEOUT_MS)))
      throw new Error("the service did not become ready");
    const never = new AbortController().signal;
    const open = (name: string) => openAccount(name, { installation, receiver, log, signal: never });
    const reference = await makeReferenceOutputs(await open("undisturbed"), recipes, never);
    const accounts = await Promise.all(
      Array.from({ length: ACCOUNTS }, (_, index) => open(`account-${index}`)),
    );
    // Requests before the storm are set-up: the service may still have been starting.
    log.unanswered.length = 0;
    say(`${recipes.length} recipes made undisturbed; the storm begins`);

    const watch = watchProcesses(installation, log);
    const [over, deadline] = [new AbortController(), new AbortController()];
    const stream = startTaskStream({
      ...{ accounts, recipes, receiver, seed: options.seed, lanes: options.lanes },
      over: over.signal,
      deadline: deadline.signal,
    });
    const stormStartMs = performance.now();
    const { kills, durationMs, seed } = options;
    const filling = installation.disk
      ? fillInTurns(installation.disk, { random: makeSeededRandom(seed + 1), signal: over.signal, say })
      : Promise.resolve(0);
    await Promise.race([
      killAtRandom(
        installation,
        { kills, durationMs, random: makeSeededRandom(seed) },
        { tasks: stream, log, signal: over.signal },
      ),
      stream.done,
    ]);
    over.abort();
    const fullDisks = await filling;
    const settleStartMs = performance.now();
    say("the storm is over; waiting for what was begun");
    const timer = setTimeout(() => deadline.abort(), settleMs);
    await stream.done;
    clearTimeout(timer);
    await waitUntil(probe.isReady, START_TIMEOUT_MS);
    const settleSeconds = (performance.now() - settleStartMs) / 1000;
    say(`settled after ${settleSeconds.toFixed(0)} s; auditing`);

    const findings = await withDatabase(installation, async (db) => [
      ...(await auditTasks(db, stream)),
      ...(await auditWebhooks(db, receiver)),
      ...(await auditCharges(db)),
    ]);
    findings.push(...(await auditOutputs(stream, reference)), ...(await auditAssets(stream)));
    await watch.stop();
    findings.push(...auditRequests(log, probe));
    const victims = sumOutages(log.kills, probe.listOutages(), stormStartMs);
    findings.push(...(await auditFilesAfterSweep(installation, probe.isReady)));
    await probe.stop();
    await installation.stop();
    findings.push(...(await auditProcesses(installation)));
    const ended = stream.tasks.filter(({ task }) => task);
    return {
      mode: options.mode,
      findings,
      victims,
      figures: {
        tasks: stream.tasks.length,
        targets: ended.reduce((sum, { task }) => sum + (task?.targets.length ?? 0), 0),
        webhooks: receiver.received.size,
        requests: [...log.answers.values()].reduce((sum, count) => sum + count, 0),
        unavailable: log.answers.get(503) ?? 0,
        settleSeconds,
        fullDisks,
        openUploads: await installation.countOpenUploads(),
      },
    };
  } finally {
    await probe.stop();
    await installation.stop();
    await receiver.close();
  }
}

/** Sets up an installation, kills its processes while clients use it, lets it settle, and audits the result. */
export async function runStorm(options: StormOptions): Promise<StormResult> {
  const installation = await (options.mode === "embedded"
    ? makeEmbeddedInstallation({ isDiskSmall: options.isDiskSmall === true })
    : makeCompanyInstallation());
  const log = makeStormLog((line) => options.say(`${options.mode}: ${line}`));
  try {
    return await storm(installation, { ...options, say: log.say }, log);
  } finally {
    await installation.remove();
  }
}
