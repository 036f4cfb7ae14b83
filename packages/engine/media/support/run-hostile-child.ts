import { once } from "node:events";
import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type ListenOptions, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { SandboxReport } from "../sandbox-report.ts";
import { FIRST_FILE_FD, spawnConfined } from "../start-media-child.ts";

/** Targets for the hostile child. */
export type HostilePlaces = {
  dataDir: string;
  parentPid: number;
  port: number;
  socketPath: string;
  outputFd: number;
};

/** The outcome of each attempt, and the child's descriptors. */
export type HostileReport = SandboxReport & { outcomes: Record<string, string>; descriptors: string[] };

/** A data folder like the service's, owned by this user. */
async function layOutDataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "stemwright-hostile-"));
  for (const folder of ["blobs", "work/other", "postgres/run"])
    await mkdir(join(dataDir, folder), { recursive: true });
  for (const file of ["encryption.key", "blobs/a.wav", "work/other/input"])
    await writeFile(join(dataDir, file), "secret", { mode: 0o600 });
  return dataDir;
}

/** Accepts every connection. */
async function listen(where: ListenOptions): Promise<Server> {
  const server = createServer().listen(where);
  await once(server, "listening");
  return server;
}

/** Runs hostile code in the sandbox, as a child of this process. */
async function runHostileChild(): Promise<HostileReport> {
  const dataDir = await layOutDataFolder();
  const socketPath = join(dataDir, "postgres/run/.s.PGSQL.5432");
  const inward = await listen({ port: 0, host: "127.0.0.1" });
  const database = await listen({ path: socketPath, readableAll: true, writableAll: true });
  const output = await open(join(dataDir, "output"), "w");
  const child = await spawnConfined(join(import.meta.dirname, "hostile-child.ts"), [output]);
  const channel = child.stdio[3] as Duplex;
  const { port } = inward.address() as AddressInfo;
  const places: HostilePlaces = {
    dataDir,
    parentPid: process.pid,
    port,
    socketPath,
    outputFd: FIRST_FILE_FD,
  };
  channel.write(JSON.stringify(places));
  const [said, complaints] = await Promise.all([text(channel), text(child.stderr as Readable)]);
  for (const server of [inward, database]) server.close();
  await output.close();
  await rm(dataDir, { recursive: true, force: true });
  if (said === "") throw new Error(`the hostile child exited without output: ${complaints}`);
  return JSON.parse(said) as HostileReport;
}

process.stdout.write(JSON.stringify(await runHostileChild()));
process.exit(0);
