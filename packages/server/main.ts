import { closeSync, openSync } from "node:fs";
import { BACKUP_COMMANDS, parseBackupCommand } from "./backup/backup-command.ts";
import { openOwnBlobs } from "./blobs/open-own-blobs.ts";
import { parseCheckFilesCommand } from "./commands/check-files-command.ts";
import { parseKeysCommand } from "./commands/keys-command.ts";
import { print } from "./commands/print.ts";
import { parseSignInCommand } from "./commands/sign-in-command.ts";
import { type Config, loadConfig } from "./config/load-config.ts";
import { withDatabase } from "./db/connection/with-database.ts";
import { StartError } from "./faults/start-error.ts";
import { reopenLogFiles } from "./log/log-destination.ts";
import { makeLog } from "./log/make-log.ts";
import { explainStartError } from "./start/explain-start-error.ts";
import { joinPostgres, migrateDatabase, openPostgres } from "./start/open-postgres.ts";
import { secureDataDir } from "./start/secure-data-dir.ts";
import { type Started, startAll, startOne } from "./start/start-service.ts";

const ONCE_COMMANDS = ["migrate", "keys", "sign-in", "check-files", ...BACKUP_COMMANDS] as const;
const COMMANDS = ["all", "api", "worker", ...ONCE_COMMANDS] as const;
type Command = (typeof COMMANDS)[number];
type OnceCommand = (typeof ONCE_COMMANDS)[number];
const isOnceCommand = (command: string | undefined): command is OnceCommand =>
  ONCE_COMMANDS.some((known) => known === command);

// Whoever reads the output may be gone; that is no reason to exit.
process.stdout.on("error", () => {});

/** Time for a worker to stop gracefully after its parent died. */
const ORPHAN_LIFE_MS = 8000;

// Files of this process and its children are private.
process.umask(0o077);

/** Commands for the operator, run on the database; `migrate` only brings that up to date. */
function parseOnce(command: OnceCommand, config: Config) {
  const args = process.argv.slice(3);
  const { host, port, publicBaseUrl = `http://${host}:${port}` } = config;
  const overDatabase = (run: ReturnType<typeof parseKeysCommand>) => (databaseUrl: string) =>
    withDatabase(databaseUrl, ({ db }) => run(db, print));
  if (command === "keys") return overDatabase(parseKeysCommand(args));
  if (command === "sign-in") return overDatabase(parseSignInCommand(args, publicBaseUrl));
  if (command === "migrate") return undefined;
  if (command === "check-files") {
    const check = parseCheckFilesCommand(args);
    return (databaseUrl: string) => withDatabase(databaseUrl, ({ db }) => check({ db, config }, print));
  }
  const run = parseBackupCommand(command, args);
  return async (databaseUrl: string) =>
    run({ config, databaseUrl, blobs: await openOwnBlobs(config) }, print);
}

async function runOnce(command: OnceCommand, config: Config): Promise<void> {
  const run = parseOnce(command, config);
  // A backup brings its own schema, and restoring needs an unused database.
  const isRestore = command === "restore";
  // To look changes nothing.
  const isMigrated = !isRestore && command !== "check-files";
  const postgres = await (isRestore ? openPostgres(config) : joinPostgres(config));
  try {
    const log = makeLog(config, command);
    const retryPolicy = { signal: new AbortController().signal, log, limitMs: config.databaseWaitMs };
    const applied = !isMigrated ? [] : await migrateDatabase(postgres.connectionString, retryPolicy);
    if (run) await run(postgres.connectionString);
    else print(applied.length > 0 ? `applied ${applied.join(", ")}` : "the schema is up to date");
  } finally {
    await postgres.stop();
  }
}

/** SIGHUP is sent both by a closing terminal and by log rotation. */
function isTerminalGone(): boolean {
  if (!process.stdout.isTTY) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}

/** Stops on Ctrl-C, SIGTERM, a closed terminal, and when the parent process is gone, even during the start. */
function listenToSignals(
  starting: Promise<Started>,
  { stopping, forceStopping }: { stopping: AbortController; forceStopping: AbortController },
): void {
  const stop = async () => {
    if (stopping.signal.aborted) return forceStopping.abort();
    stopping.abort(new Error("told to stop while starting"));
    try {
      await (await starting.catch(() => undefined))?.close();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`stopping failed: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  for (const event of ["SIGINT", "SIGTERM", "disconnect"]) process.on(event, () => void stop());
  process.on("SIGHUP", () => {
    if (isTerminalGone()) return void stop();
    reopenLogFiles();
    starting.then((started) => started.reopenWorkerLogs?.()).catch(() => {});
  });
  process.on("disconnect", () => forceStopping.abort());
  // The parent was killed, possibly with its database: waiting for that would never end.
  process.on("disconnect", () => setTimeout(() => process.exit(1), ORPHAN_LIFE_MS).unref());
}

async function main(): Promise<void> {
  const command = (process.argv[2] ?? "all") as Command;
  if (!COMMANDS.includes(command))
    throw new StartError(`unknown command "${command}"; it must be one of ${COMMANDS.join(", ")}`);
  const config = loadConfig();
  await secureDataDir(config.dataDir);
  if (isOnceCommand(command)) return await runOnce(command, config);
  // The parent died while this was loading, before anything listened for it.
  if (process.connected === false) return;
  const [stopping, forceStopping] = [new AbortController(), new AbortController()];
  const { signal } = stopping;
  const signals = { signal, forceStop: forceStopping.signal };
  const starting = command === "all" ? startAll(config, signals) : startOne(command, config, signals);
  listenToSignals(starting, { stopping, forceStopping });
  await starting.catch((error) => {
    if (!signal.aborted) throw error;
  });
}

main().catch((error: unknown) => {
  const { message, exitCode } = explainStartError(error, loadConfig);
  const isOnce = isOnceCommand(process.argv[2]);
  process.stderr.write(`${isOnce ? "" : "Stemwright could not start: "}${message}\n`);
  process.exit(exitCode);
});
