import { type Config, loadConfig } from "./config/load-config.ts";
import { explainStartError } from "./explain-start-error.ts";
import { parseKeysCommand } from "./keys-command.ts";
<<<<<<< HEAD
import { makeLog } from "./log.ts";
import { openDashboard } from "./open-dashboard.ts";
import { secureContents, secureDataDir } from "./secure-data-dir.ts";
=======
import { migrateDatabase, openPostgres, withDatabase } from "./open-postgres.ts";
import { print } from "./print.ts";
import { secureDataDir } from "./secure-data-dir.ts";
>>>>>>> 8148330 (feat(release): packages are built, checked and tried by npm run release)
import { StartError } from "./start-error.ts";
import { type Started, startAll, startOne } from "./start-service.ts";

const COMMANDS = ["all", "api", "worker", "migrate", "keys"] as const;
type Command = (typeof COMMANDS)[number];

// Whoever read what is printed may be gone; that is no reason to end.
process.stdout.on("error", () => {});

/** A worker whose parent is gone has so long to stop in order. */
const ORPHAN_LIFE_MS = 8000;

// Whatever this process and its children make is theirs alone.
process.umask(0o077);

<<<<<<< HEAD
/** The outside server where one is given, the embedded one otherwise. */
async function openPostgres(
  config: Config,
  hooks: { onDown?: (error: EmbeddedPostgresError) => void; onUp?: () => void } = {},
) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, stop: async () => {} };
  return await startEmbeddedPostgres({
    dataDir: config.dataDir,
    workers: config.workers,
    onProgress: (message) => print(`  … ${message}`),
    ...hooks,
  });
}

async function withDatabase<Result>(
  databaseUrl: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const opened = openDatabase({ connectionString: databaseUrl, maxConnections: 2 });
  try {
    return await use(opened);
  } finally {
    await opened.db.destroy();
  }
}

const migrateDatabase = (databaseUrl: string) => withDatabase(databaseUrl, ({ pool }) => migrate(pool));

/** The API over a schema that is up to date. The first key is made only when it listens, so that it is never made unseen. */
async function startMigratedApi(
  house: House,
): Promise<{ api: Awaited<ReturnType<typeof startApi>>; firstKey: string | undefined }> {
  const { config, databaseUrl, log } = house;
  const applied = await migrateDatabase(databaseUrl);
  if (applied.length > 0) log.info({ applied }, "schema brought up to date");
  const api = await startApi(house);
  return {
    api,
    firstKey: await withDatabase(databaseUrl, ({ db }) => bootstrapAccount(db, config.bootstrapApiKey)),
  };
}

function printWelcome(options: { address: string; firstKey: string | undefined; config: Config }): void {
  const { address, firstKey, config } = options;
  print("");
  print(`Stemwright is ready at ${address}   (reference: ${address}/docs)`);
  if (firstKey !== undefined && config.bootstrapApiKey === undefined) {
    print("");
    print(`Your API key, shown this once:  ${firstKey}`);
    print("Try it:");
    print(`  curl -H 'x-api-key: ${firstKey}' ${address}/tasks`);
  } else {
    print(`Try it:  curl ${address}/models`);
    if (firstKey === undefined)
      print(
        "Lost your key?  npm run keys -- create --name NAME  (while the service is stopped or with DATABASE_URL)",
      );
  }
  if (config.logFile !== undefined) print(`Logs: ${config.logFile}`);
  print("Stop with Ctrl-C.");
}

/** Beside everything else: nobody gets that far any more, and a large store takes a while. */
async function closeContents({ dataDir }: Config, log: House["log"]): Promise<void> {
  const count = await secureContents(dataDir);
  if (count > 0) log.warn({ count, dataDir }, "files were open to other users and are closed now");
}

/** Everything in one place: database, API, and workers beside it. */
async function startAll(environmentConfig: Config): Promise<Started> {
  const isTerminal = process.stdout.isTTY === true && environmentConfig.logFile === undefined;
  const config = isTerminal
    ? { ...environmentConfig, logFile: join(environmentConfig.dataDir, "logs", "stemwright.log") }
    : environmentConfig;
  const dashboard = openDashboard();
  // First of all, for it makes the data folder so that the user it runs as can pass through.
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
    const house = { config, databaseUrl, log, findOutage: () => outage, dashboard };
    const { api, firstKey } = await startMigratedApi(house);
    const environment = makeChildEnvironment(config, { databaseUrl, publicBaseUrl: api.address });
    const workers = startWorkerProcesses({ count: config.workers, environment, log });
    printWelcome({ address: api.address, firstKey, config });
    return {
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

async function startOne(command: "api" | "worker", config: Config): Promise<Started> {
  if (config.databaseUrl === undefined)
    throw new StartError(`"${command}" alone needs DATABASE_URL; "all" brings its own database`);
  const log = makeLog(config, command);
  // A worker that another process started shares its folder.
  if (process.send === undefined) void closeContents(config, log);
  const house = { config, databaseUrl: config.databaseUrl, log };
  if (command === "worker") return await startTaskWorker(house);
  const { api, firstKey } = await startMigratedApi({ ...house, dashboard: openDashboard() });
  printWelcome({ address: api.address, firstKey, config });
  return api;
}

=======
>>>>>>> 8148330 (feat(release): packages are built, checked and tried by npm run release)
async function runOnce(command: "migrate" | "keys", config: Config): Promise<void> {
  const runKeys = command === "keys" ? parseKeysCommand(process.argv.slice(3)) : undefined;
  const postgres = await openPostgres(config);
  try {
    const applied = await migrateDatabase(postgres.connectionString);
    if (runKeys) await withDatabase(postgres.connectionString, ({ db }) => runKeys(db, print));
    else print(applied.length > 0 ? `applied ${applied.join(", ")}` : "the schema is up to date");
  } finally {
    await postgres.stop();
  }
}

/** Ends on Ctrl-C, on SIGTERM, and when the parent that started this process is gone, also while it is still starting. */
function stopOnSignals(starting: Promise<Started>): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    try {
      await (await starting).close();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`stopping failed: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"]) process.on(event, () => void stop());
  // The parent was killed, and its database may be gone with it: what waits for that would wait for ever.
  process.on("disconnect", () => setTimeout(() => process.exit(1), ORPHAN_LIFE_MS).unref());
}

async function main(): Promise<void> {
  const command = (process.argv[2] ?? "all") as Command;
  if (!COMMANDS.includes(command))
    throw new StartError(`unknown command "${command}"; it must be one of ${COMMANDS.join(", ")}`);
  const config = loadConfig();
  await secureDataDir(config.dataDir);
  if (command === "migrate" || command === "keys") return await runOnce(command, config);
  // The parent died while this was loading, before anything listened for that.
  if (process.connected === false) return;
  const starting = command === "all" ? startAll(config) : startOne(command, config);
  stopOnSignals(starting);
  await starting;
}

main().catch((error: unknown) => {
  const { message, exitCode } = explainStartError(error, loadConfig);
  const isOnce = process.argv[2] === "keys" || process.argv[2] === "migrate";
  process.stderr.write(`${isOnce ? "" : "Stemwright could not start: "}${message}\n`);
  process.exit(exitCode);
});
