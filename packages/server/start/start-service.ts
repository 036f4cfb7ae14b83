import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { print } from "../commands/print.ts";
import { type Config, makeChildEnvironment } from "../config/load-config.ts";
import { withDatabase } from "../db/connection/with-database.ts";
import { findSchemaFault } from "../db/schema/schema-fault.ts";
import { makeKey } from "../domain/accounts/key-secrets.ts";
import { StartError } from "../faults/start-error.ts";
import { openWaitingRoom } from "../http/connections/startup-server.ts";
import { makeLog } from "../log/make-log.ts";
import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";
import { bootstrapAccount, type FirstAccount } from "./bootstrap-account.ts";
import { openDashboard } from "./open-dashboard.ts";
import { migrateDatabase, openPostgres } from "./open-postgres.ts";
import { secureContents } from "./secure-data-dir.ts";
import { type ServiceContext, toRetryPolicy } from "./service-context.ts";
import { startApi } from "./start-api.ts";
import { startTaskWorker } from "./start-task-worker.ts";
import { waitForSchema } from "./wait-for-schema.ts";
import { startWorkerProcesses } from "./worker-processes.ts";

/** A running part of the service; `address` is where its API listens. */
export type Started = { address?: string; close(): Promise<void>; reopenWorkerLogs?(): void };

type Signals = Pick<ServiceContext, "signal" | "forceStop">;

/** While this release does not support the schema, requests get a 503 with the reason. */
async function waitBehindStartupServer(
  { config, databaseUrl }: ServiceContext,
  retryPolicy: RetryPolicy,
): Promise<void> {
  let reason = "";
  let room: Awaited<ReturnType<typeof openWaitingRoom>> | undefined;
  try {
    await waitForSchema(() => withDatabase(databaseUrl, ({ db }) => findSchemaFault(db)), {
      ...retryPolicy,
      async onFault({ message }) {
        reason = message;
        room ??= await openWaitingRoom(config, () => reason);
      },
    });
  } finally {
    await room?.close();
  }
}

/**
 * The API on an up-to-date schema. The first account is created only once it listens, so that a start that fails does not lose its key; until then it is not
 * ready.
 */
async function startMigratedApi(
  context: ServiceContext,
): Promise<{ api: Awaited<ReturnType<typeof startApi>>; firstAccount: FirstAccount | undefined }> {
  const { config, databaseUrl, log } = context;
  const retryPolicy = toRetryPolicy(context);
  const applied = config.isMigratedAtStart ? await migrateDatabase(databaseUrl, retryPolicy) : [];
  if (applied.length > 0) log.info({ applied }, "schema brought up to date");
  await waitBehindStartupServer(context, retryPolicy);
  let firstAccount: FirstAccount | undefined;
  const api = await startApi({
    ...context,
    async whenListening(baseUrl) {
      const first = { bootstrapApiKey: config.bootstrapApiKey, baseUrl, newKey: makeKey() };
      firstAccount = await callUntilAnswered(
        () => withDatabase(databaseUrl, ({ db }) => bootstrapAccount(db, first)),
        retryPolicy,
      );
    },
  });
  return { api, firstAccount };
}

function printWelcome(options: {
  address: string;
  firstAccount: FirstAccount | undefined;
  config: Config;
}): void {
  const { address, firstAccount, config } = options;
  print("");
  print(`Stemwright is ready at ${address}   (reference: ${address}/docs)`);
  if (firstAccount) {
    print("");
    print("Open the dashboard with this link, once, within an hour:");
    print(`  ${firstAccount.signInLink}`);
  }
  if (firstAccount && config.bootstrapApiKey === undefined) {
    print("");
    print(`Your API key, shown this once:  ${firstAccount.key}`);
    print("Try it:");
    print(`  curl -H 'x-api-key: ${firstAccount.key}' ${address}/tasks`);
  } else {
    print(`Try it:  curl ${address}/models`);
    if (!firstAccount) print("Can't get in?  npm run sign-in, npm run keys -- create --name NAME");
  }
  if (config.logFile !== undefined) print(`Logs: ${config.logFile}`);
  print("Stop with Ctrl-C.");
}

/** In the background: the parent folders are closed already, and a large store takes a while. */
async function closeContents({ dataDir }: Config, log: ServiceContext["log"]): Promise<void> {
  const count = await secureContents(dataDir);
  if (count > 0) log.warn({ count, dataDir }, "restricted permissions of files readable by other users");
}

/** Database, API and workers on one machine. */
export async function startAll(
  environmentConfig: Config,
  signals: Signals = {},
): Promise<Started & { address: string }> {
  const isTerminal = process.stdout.isTTY === true && environmentConfig.logFile === undefined;
  const config = isTerminal
    ? { ...environmentConfig, logFile: join(environmentConfig.dataDir, "logs", "stemwright.log") }
    : environmentConfig;
  const dashboard = openDashboard();
  // First, because it creates the data folder with a mode that lets PostgreSQL's user pass through.
  let log: FastifyBaseLogger | undefined;
  let outage: Error | undefined;
  const postgres = await openPostgres(config, {
    onDown(error) {
      outage = error;
      log?.error({ err: error }, "embedded PostgreSQL is down, restarting it");
    },
    onUp() {
      outage = undefined;
      log?.warn("embedded PostgreSQL is up again");
    },
  });
  try {
    const databaseUrl = postgres.connectionString;
    log = makeLog(config, "api");
    void closeContents(config, log);
    const context = {
      config,
      databaseUrl,
      log,
      findOutage: () => outage,
      dashboard,
      ...signals,
    };
    const { api, firstAccount } = await startMigratedApi(context);
    const environment = makeChildEnvironment(config, { databaseUrl, publicBaseUrl: api.address });
    const workers = startWorkerProcesses({
      count: config.workers,
      drainMs: config.drainMs,
      environment,
      log,
    });
    printWelcome({ address: api.address, firstAccount, config });
    return {
      address: api.address,
      reopenWorkerLogs: workers.reopenLogs,
      async close() {
        await Promise.all([api.close(), workers.stop()]);
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** One part of an installation with an external database. */
export async function startOne(
  command: "api" | "worker",
  config: Config,
  signals: Signals,
): Promise<Started> {
  if (config.databaseUrl === undefined)
    throw new StartError(`"${command}" alone needs DATABASE_URL; "all" brings its own database`);
  const log = makeLog(config, command);
  // A worker started by another process shares that process's folder.
  if (process.send === undefined) void closeContents(config, log);
  const context = { config, databaseUrl: config.databaseUrl, log, ...signals };
  if (command === "worker") return await startTaskWorker(context);
  const { api, firstAccount } = await startMigratedApi({ ...context, dashboard: openDashboard() });
  printWelcome({ address: api.address, firstAccount, config });
  return api;
}
