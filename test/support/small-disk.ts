import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

const MIB = 1024 ** 2;
const IS_ROOT = process.getuid?.() === 0;
const UNSHARE = ["--mount", ...(IS_ROOT ? [] : ["--map-root-user"])];
const NSENTER = ["--mount", ...(IS_ROOT ? [] : ["--user", "--preserve-credentials"])];
const FILLER = "filler";
/** Holds the mount until its standard input is closed, which a killed test does too. */
const HOLD = `mount -t tmpfs -o "size=$2m,mode=711" none "$1" && echo mounted && exec cat`;

export type SmallDisk = {
  /** The path on this disk of something that the processes in it know by the given path. */
  toSeen(path: string): string;
  /** The same for the URL of a database whose socket is on the disk. */
  toSeenUrl(databaseUrl: string): string;
  /** A command that runs another with the disk in place. */
  enter(cwd: string, ...command: string[]): [string, ...string[]];
  /** Writes until nothing more fits. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
};

/** Why no small disk can be mounted here; undefined if one can. */
export function findNoMountReason(): string | undefined {
  const tried = spawnSync("unshare", [...UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"], {
    encoding: "utf8",
  });
  if (tried.status === 0) return undefined;
  return `this machine mounts no tmpfs in a namespace (unshare --mount): ${tried.error?.message ?? tried.stderr}`;
}

/** Mounts a separate disk on the folder, for the processes that enter it alone. */
export async function mountSmallDisk(dir: string, megabytes: number): Promise<SmallDisk> {
  const args = [...UNSHARE, "sh", "-c", HOLD, "sh", dir, String(megabytes)];
  const holder = spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] });
  await Promise.race([once(holder.stdout, "data"), once(holder, "exit").then(() => failToMount(holder))]);
  const toSeen = (path: string) => `/proc/${holder.pid}/root${path}`;
  const fillerPath = join(toSeen(dir), FILLER);
  return {
    toSeen,
    toSeenUrl(databaseUrl) {
      const [place, query] = databaseUrl.split("?");
      const options = new URLSearchParams(query);
      options.set("host", toSeen(options.get("host") ?? ""));
      return `${place}?${options}`;
    },
    enter: (cwd, ...command) => [
      "nsenter",
      ...["--target", String(holder.pid), ...NSENTER],
      ...["sh", "-c", 'cd "$0" && exec "$@"', cwd],
      ...command,
    ],
    fill: () => fill(fillerPath),
    empty: () => rm(fillerPath, { force: true }),
    async close() {
      holder.stdin.end();
      if (holder.exitCode === null) await once(holder, "exit");
    },
  };
}

function failToMount({ exitCode }: ChildProcess): never {
  throw new Error(`the small disk could not be mounted (exit code ${exitCode})`);
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "a");
  try {
    for (const sizeBytes of [MIB, 4096, 1]) while (await writeMore(file, sizeBytes));
  } finally {
    await file.close();
  }
}

const writeMore = async (file: Awaited<ReturnType<typeof open>>, sizeBytes: number) =>
  (await file.write(Buffer.alloc(sizeBytes)).catch(() => ({ bytesWritten: 0 }))).bytesWritten > 0;
