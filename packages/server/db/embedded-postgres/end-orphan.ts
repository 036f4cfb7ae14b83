import { rm } from "node:fs/promises";
import { endPostmaster } from "./end-postmaster.ts";
import { findPostmasterPidFile, isRunningPostmaster, postmasterPidFilePath } from "./postmaster-pid-file.ts";

/**
 * Clears the way for a new server on a cluster whose folder this process has locked: a server still running there belongs to a killed service and is shut
 * down. Adopting it was rejected: a process that is not our child cannot be waited for, and its settings may be those of another release.
 */
export async function endOrphan(clusterDir: string): Promise<void> {
  const pidFile = await findPostmasterPidFile(clusterDir);
  if (pidFile !== undefined && (await isRunningPostmaster(pidFile))) {
    await endPostmaster(pidFile.pid, async () => !(await isRunningPostmaster(pidFile)));
  }
  // After a SIGKILL or power loss the file stays. PostgreSQL removes it if its pid is free, but gives up if the
  // pid belongs to an unrelated process or a zombie, or if the file is truncated: only then do we remove it.
  // Sessions that outlive a killed server still keep a new one out, by the shared memory segment that is
  // keyed to the inode of the cluster's folder.
  if (pidFile === undefined || isPidTaken(pidFile.pid)) {
    await rm(postmasterPidFilePath(clusterDir), { force: true });
  }
}

function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
