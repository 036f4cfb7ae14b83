import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "../faults/find-free-port.ts";
import { makeTempDir } from "./temp-dir.ts";

/** It refuses to run as root; this user has no privileges. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** The program named by PGBOUNCER, or the machine's own; undefined if there is none. */
export function findPgbouncer(): string | undefined {
  const programs = [process.env.PGBOUNCER, "pgbouncer", "/usr/sbin/pgbouncer"];
  return programs.find((program) => program && spawnSync(program, ["--version"]).status === 0);
}

/** A pgbouncer in front of a server; `connectionString` returns its URL for either mode. */
export async function startPgbouncer(program: string, serverUrl: string) {
  const { hostname, port, username, password, pathname } = new URL(serverUrl);
  const dir = await makeTempDir("pgbouncer");
  const ownPort = await findFreePort();
  const server = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  const configPath = join(dir, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `session = ${server} pool_mode=session pool_size=40`,
    `transaction = ${server} pool_mode=transaction pool_size=4`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${ownPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    "max_client_conn = 500",
  ];
  await writeFile(configPath, `${lines.join("\n")}\n`);
  await chmod(dir, 0o755);
  const isRoot = process.getuid?.() === 0;
  const child: ChildProcess = spawn(program, [configPath], { stdio: "pipe", ...(isRoot ? NOBODY : {}) });
  const started = Promise.withResolvers<void>();
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk;
    if (said.includes("process up")) started.resolve();
  });
  child.once("exit", () => started.reject(new Error(`pgbouncer ended:\n${said}`)));
  await started.promise;
  return {
    toUrl: (mode: "session" | "transaction") => `postgresql://${username}:x@127.0.0.1:${ownPort}/${mode}`,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
