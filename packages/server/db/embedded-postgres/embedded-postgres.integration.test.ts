import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChildService } from "../../../../test/support/child-service.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { isPostmasterCommandLine } from "./postmaster-pid-file.ts";

let testDir: string;
let dataDir: string;
let clusterDir: string;

beforeAll(async () => {
  testDir = await mkdtemp(join(tmpdir(), "stemwright-test-"));
  // As root, PostgreSQL's user must be able to enter it.
  await chmod(testDir, 0o711);
  dataDir = join(testDir, "not", "yet", "there");
  clusterDir = join(dataDir, "postgres", "cluster", "data");
});

afterAll(async () => {
  await rm(testDir, { recursive: true, force: true });
});

async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function withServer<Result>(use: (server: EmbeddedPostgres) => Promise<Result>): Promise<Result> {
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

async function addNote(connectionString: string, words: string): Promise<void> {
  await query(connectionString, "CREATE TABLE IF NOT EXISTS note (words text PRIMARY KEY)");
  await query(connectionString, `INSERT INTO note VALUES ('${words}')`);
}

async function listNotes(connectionString: string): Promise<unknown[]> {
  return (await query(connectionString, "SELECT words FROM note ORDER BY words")).map((row) => row.words);
}

async function listPostmasters(): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const commandLine = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (isPostmasterCommandLine(commandLine, clusterDir)) pids.push(Number(name));
  }
  return pids;
}

describe("startEmbeddedPostgres", () => {
  test("creates the database on the first start, and finds the rows on the second", async () => {
    await withServer(({ connectionString }) => addNote(connectionString, "first"));
    expect(await listPostmasters()).toEqual([]);

    await withServer(async ({ connectionString, pid }) => {
      expect(await listNotes(connectionString)).toEqual(["first"]);
      expect(await listPostmasters()).toEqual([pid]);
    });
    expect(await listPostmasters()).toEqual([]);
  });

  test("creates a UTF-8 database in UTC for a role that is not a superuser", async () => {
    await withServer(async ({ connectionString }) => {
      const [row] = await query(
        connectionString,
        `SELECT current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone,
                current_setting('fsync') AS fsync, upper('ä') AS upper,
                (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super`,
      );
      expect(row).toEqual({ encoding: "UTF8", zone: "UTC", fsync: "on", upper: "Ä", super: false });
    });
  });

  test("listens on no TCP port", async () => {
    await withServer(async ({ connectionString, pid }) => {
      expect(await query(connectionString, "SHOW listen_addresses")).toEqual([{ listen_addresses: "" }]);
      const listeningInodes = await listListeningTcpInodes();
      const isRoot = process.getuid?.() === 0;
      // A container's root may not be able to inspect another uid's descriptors; but that uid has no other process.
      const serverUid = (await stat(clusterDir)).uid;
      const suspects = isRoot
        ? listeningInodes.filter((socket) => socket.uid === serverUid)
        : await filterByDescriptors(listeningInodes, pid);
      expect(suspects).toEqual([]);
    });
  });

  test("stops the server of a SIGKILLed service, and loses nothing", async () => {
    const service = await startChildService({ dataDir });
    if (!("pid" in service.report)) throw new Error(service.report.message);
    await addNote(service.report.connectionString, "before the kill");
    await service.end("SIGKILL");
    expect(await listPostmasters()).toEqual([service.report.pid]);

    await withServer(async ({ connectionString, pid }) => {
      expect(await listPostmasters()).toEqual([pid]);
      expect(await listNotes(connectionString)).toContain("before the kill");
    });
    expect(await listPostmasters()).toEqual([]);
  });

  test("leaves no server behind when the service exits without stopping it", async () => {
    const service = await startChildService({ dataDir });
    await service.end("SIGHUP");
    await expect.poll(listPostmasters, { timeout: 5_000 }).toEqual([]);
  });

  test("[S4] restarts a killed server, and loses nothing", async () => {
    const reasons: string[] = [];
    const up = Promise.withResolvers<void>();
    const server = await startEmbeddedPostgres({
      dataDir,
      onDown: ({ message }) => reasons.push(message),
      onUp: up.resolve,
    });
    const killedPid = server.pid;
    await addNote(server.connectionString, "before the crash");
    process.kill(killedPid, "SIGKILL");
    await up.promise;
    expect(reasons).toEqual([expect.stringContaining("SIGKILL")]);
    expect(await listNotes(server.connectionString)).toContain("before the crash");
    expect(await listPostmasters()).toEqual([server.pid]);
    expect(server.pid).not.toBe(killedPid);
    await server.stop();
    expect(await listPostmasters()).toEqual([]);
  });

  test("[S4] keeps trying to start a server, reports why it fails, and recovers once the cause is gone", async () => {
    const settingsPath = join(clusterDir, "postgresql.conf");
    const settings = await readFile(settingsPath, "utf8");
    const reasons: string[] = [];
    const up = Promise.withResolvers<void>();
    const server = await startEmbeddedPostgres({
      dataDir,
      onDown: ({ message }) => reasons.push(message),
      onUp: up.resolve,
    });
    await writeFile(settingsPath, "no_such_setting = on\n");
    process.kill(server.pid, "SIGKILL");
    await expect.poll(() => reasons.length).toBeGreaterThan(3);
    expect(reasons.slice(1)).toEqual(
      reasons.slice(1).map(() => expect.stringMatching(/FATAL.*postgresql\.conf/)),
    );
    await writeFile(settingsPath, settings);
    await up.promise;
    expect(await listNotes(server.connectionString)).toContain("first");
    await server.stop();
  });

  test("[S2] can be stopped while waiting to restart the server", async () => {
    const settingsPath = join(clusterDir, "postgresql.conf");
    const settings = await readFile(settingsPath, "utf8");
    let failures = 0;
    const server = await startEmbeddedPostgres({ dataDir, onDown: () => (failures += 1) });
    await writeFile(settingsPath, "no_such_setting = on\n");
    process.kill(server.pid, "SIGKILL");
    await expect.poll(() => failures).toBeGreaterThan(2);
    await server.stop();
    await writeFile(settingsPath, settings);
    expect(await listPostmasters()).toEqual([]);
  });

  test("does not call onDown for a server that was stopped, however often", async () => {
    const reasons: string[] = [];
    const server = await startEmbeddedPostgres({ dataDir, onDown: ({ message }) => reasons.push(message) });
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(reasons).toEqual([]);
  });

  test("allows one of two concurrent starts, and the other's error says what to do", async () => {
    const starts = await Promise.allSettled([
      startEmbeddedPostgres({ dataDir }),
      startEmbeddedPostgres({ dataDir }),
    ]);
    const servers = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const errors = starts.flatMap((start) => (start.status === "rejected" ? [start.reason] : []));
    for (const server of servers) await server.stop();

    expect(servers).toHaveLength(1);
    expect(errors).toEqual([expect.objectContaining({ code: "data_dir_in_use" })]);
  });

  test("reports the process that holds the folder, and leaves its server alone", async () => {
    const service = await startChildService({ dataDir });
    if (!("pid" in service.report)) throw new Error(service.report.message);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      `(process ${service.process.pid}) uses the database in ${join(dataDir, "postgres")}: stop that one first`,
    );
    expect(await listPostmasters()).toEqual([service.report.pid]);

    await service.end("SIGTERM");
    expect(await listPostmasters()).toEqual([]);
  });

  test.each([
    ["names a pid that now is another process", () => `${process.pid}\n${clusterDir}\n0\n5432\n`],
    ["was cut off by power loss", () => ""],
  ])("starts over a postmaster.pid that %s", async (_, makeText) => {
    await writeFile(join(clusterDir, "postmaster.pid"), makeText());
    await writeFile(join(dataDir, "postgres", "run", ".s.PGSQL.5432.lock"), makeText());
    await withServer(async ({ connectionString }) => {
      expect(await listNotes(connectionString)).toContain("first");
    });
  });

  test("replaces a copy of the binaries that is damaged or of another version", async () => {
    const homeDir = join(dataDir, "postgres");
    const [copyName] = (await readdir(homeDir)).filter((name) => name.startsWith("binaries-"));
    await truncate(join(homeDir, copyName ?? "", "bin", "postgres"));
    await mkdir(join(homeDir, "binaries-0.0.1"));

    await withServer(async ({ connectionString }) => {
      expect(await query(connectionString, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    });
    expect((await readdir(homeDir)).filter((name) => name.startsWith("binaries-"))).toEqual([copyName]);
  });

  test("refuses a database of another major version, and says what to do", async () => {
    const versionPath = join(clusterDir, "PG_VERSION");
    const version = await readFile(versionPath, "utf8");
    await writeFile(versionPath, "9\n");
    const start = startEmbeddedPostgres({ dataDir });
    await expect(start).rejects.toMatchObject({ code: "major_version_mismatch" });
    await expect(start).rejects.toThrow(/made by PostgreSQL 9, this release brings \d+: start the release/);
    await writeFile(versionPath, version);
  });

  test("says why the server does not start, and where its log is", async () => {
    const settingsPath = join(clusterDir, "postgresql.conf");
    const settings = await readFile(settingsPath, "utf8");
    await writeFile(settingsPath, "no_such_setting = on\n");
    const start = startEmbeddedPostgres({ dataDir });
    await expect(start).rejects.toMatchObject({ code: "start_failed" });
    await expect(start).rejects.toThrow(/FATAL.*postgresql\.conf(.|\n)*postgres\.log/);
    await writeFile(settingsPath, settings);
  });

  test("refuses a path that initdb's shell would misread", async () => {
    const start = startEmbeddedPostgres({ dataDir: join(testDir, "a $(dollar)") });
    await expect(start).rejects.toMatchObject({ code: "data_dir_unusable" });
  });

  test("refuses a data folder that is a file", async () => {
    const filePath = join(testDir, "file");
    await writeFile(filePath, "");
    const start = startEmbeddedPostgres({ dataDir: join(filePath, "data") });
    await expect(start).rejects.toMatchObject({ code: "data_dir_unusable" });
  });
});

type ListeningSocket = { uid: number; inode: string };

/** Columns of /proc/net/tcp: state is the 4th (0A is LISTEN), uid the 8th, inode the 10th. */
async function listListeningTcpInodes(): Promise<ListeningSocket[]> {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  return tables
    .flatMap((table) => table.split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === "0A")
    .map((columns) => ({ uid: Number(columns[7]), inode: columns[9] ?? "" }));
}

async function filterByDescriptors(sockets: ListeningSocket[], pid: number): Promise<ListeningSocket[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  return sockets.filter((socket) => targets.includes(`socket:[${socket.inode}]`));
}
