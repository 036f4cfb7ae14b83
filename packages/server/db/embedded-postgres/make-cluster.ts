import { randomBytes } from "node:crypto";
import { chmod, chown, lchown, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFullMessage, makePostgresDiskFullError } from "./disk-full.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { PostgresBinaries } from "./install-binaries.ts";
import type { PostgresHome } from "./open-home.ts";
import { getSetupIds } from "./postgres-account.ts";
import { runProgram } from "./run-program.ts";
import { findDynamicSharedMemoryType } from "./server-settings.ts";

/** Name of the service's role and of its database. */
export const serviceName = "stemwright";

const unfinishedPrefix = "cluster.unfinished-";

/** Builds the cluster under another name and renames it once it is complete on disk. */
export async function makeCluster(home: PostgresHome, binaries: PostgresBinaries): Promise<void> {
  // A new name each time: an initdb that outlives a killed service must not write into the next one's folder.
  const unfinishedDir = join(home.dir, `${unfinishedPrefix}${randomBytes(4).toString("hex")}`);
  const dataDir = join(unfinishedDir, "data");
  const { serverIds } = home.account;
  const setupIds = await getSetupIds(home.account);
  const password = randomBytes(24).toString("base64url");

  await removeUnfinished(home.dir);
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o700);
  await chmod(unfinishedDir, 0o710);
  await writeFile(join(unfinishedDir, "password"), password, { mode: 0o600, flush: true });
  if (serverIds !== undefined && setupIds !== undefined) {
    await chown(unfinishedDir, 0, serverIds.gid);
    await chown(dataDir, setupIds.uid, setupIds.gid);
  }
  await runStep({ program: binaries.initdb, args: await makeInitdbArgs(dataDir) });
  await writeFile(join(dataDir, "pg_hba.conf"), hostBasedAuthentication, { flush: true });
  await runStep({
    program: binaries.postgres,
    args: makeSingleUserArgs(dataDir),
    input: makeRoleAndDatabaseSql(password),
  });
  if (serverIds !== undefined) await handOver(dataDir, serverIds);
  await rename(unfinishedDir, join(home.dir, "cluster"));
  await syncFolder(home.dir);

  async function runStep(step: { program: string; args: string[]; input?: string }): Promise<void> {
    const result = await runProgram({ ...step, workingDir: home.dir, ids: setupIds });
    if (result.exitCode !== 0) throw makeSetupError(home.dir, `${step.program} says:\n${result.output}`);
  }
}

/** The superuser has no password and no line here: nobody can connect as it, not even the service. */
const hostBasedAuthentication = `local all ${serviceName} scram-sha-256\n`;

async function makeInitdbArgs(dataDir: string): Promise<string[]> {
  return [
    `--pgdata=${dataDir}`,
    "--username=postgres",
    "--auth=reject",
    "--encoding=UTF8",
    // Built into PostgreSQL: a minimal machine has no locales, and a system upgrade can't corrupt an index.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
    `--set=dynamic_shared_memory_type=${await findDynamicSharedMemoryType()}`,
  ];
}

function makeSingleUserArgs(dataDir: string): string[] {
  return ["--single", "-D", dataDir, "-c", "exit_on_error=on", "-c", "log_checkpoints=off", "postgres"];
}

/** One statement per line, as single-user mode requires. CREATEDB is for tests that use separate databases. */
function makeRoleAndDatabaseSql(password: string): string {
  return [
    `CREATE ROLE ${serviceName} LOGIN CREATEDB PASSWORD '${password}';`,
    `CREATE DATABASE ${serviceName} OWNER ${serviceName};`,
    "",
  ].join("\n");
}

function makeSetupError(homeDir: string, words: string): EmbeddedPostgresError {
  if (isDiskFullMessage(words)) return makePostgresDiskFullError(homeDir);
  const lastLines = words.trim().split("\n").slice(-6).join("\n");
  return new EmbeddedPostgresError(
    "setup_failed",
    `The database could not be made in ${homeDir}:\n${lastLines}\nFix the cause and start again, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

async function removeUnfinished(homeDir: string): Promise<void> {
  for (const name of await readdir(homeDir)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    await rm(join(homeDir, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

async function handOver(dir: string, ids: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), ids.uid, ids.gid);
  }
  await lchown(dir, ids.uid, ids.gid);
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
