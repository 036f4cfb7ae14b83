import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** PostgreSQL's own record of the server that runs on a cluster (src/include/utils/pidfile.h). */
type PostmasterPidFile = { pid: number; clusterDir: string; isReady: boolean };

export function postmasterPidFilePath(clusterDir: string): string {
  return join(clusterDir, "postmaster.pid");
}

export async function findPostmasterPidFile(clusterDir: string): Promise<PostmasterPidFile | undefined> {
  try {
    return parsePostmasterPidFile(await readFile(postmasterPidFilePath(clusterDir), "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Undefined for an empty or truncated file, as after a power loss and briefly at each start. */
export function parsePostmasterPidFile(text: string): PostmasterPidFile | undefined {
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  const clusterDir = lines[1];
  if (!Number.isInteger(pid) || pid <= 0 || !clusterDir) return undefined;
  return { pid, clusterDir, isReady: lines[7]?.trim() === "ready" };
}

/**
 * Whether the process is the server that wrote the file, and not one that reuses its pid. Read from the command line, which unlike /proc/<pid>/exe is
 * readable across uids in a container without CAP_SYS_PTRACE; it is empty for a zombie, which has exited.
 */
export async function isRunningPostmaster(pidFile: PostmasterPidFile): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pidFile.pid}/cmdline`, "utf8").catch(() => "");
  return isPostmasterCommandLine(commandLine, pidFile.clusterDir);
}

export function isPostmasterCommandLine(commandLine: string, clusterDir: string): boolean {
  const [program, ...args] = commandLine.split("\0");
  const dataFlagIndex = args.indexOf("-D");
  return (
    basename(program ?? "") === "postgres" && dataFlagIndex !== -1 && args[dataFlagIndex + 1] === clusterDir
  );
}
