import { stat, statfs } from "node:fs/promises";

/** Part of the socket's file name, not a TCP port. */
export const socketPort = 5432;

/** For the API, commands run beside it, and PostgreSQL's superuser reserve. */
const connectionsWithoutWorkers = 50;
/** A worker has a pool of two and the connection that holds its Task. Twice that, since a killed worker's connections close a little later. */
const connectionsPerWorker = 6;

const minSharedMemoryBytes = 64 * 1024 * 1024;

/** Passed on the command line, where they override the cluster's files: a release can change them without touching what an earlier one wrote. */
export function makeServerSettings(options: {
  socketDir: string;
  dynamicSharedMemoryType: "posix" | "mmap";
  workers: number;
}): Record<string, string> {
  return {
    listen_addresses: "",
    port: String(socketPort),
    unix_socket_directories: options.socketDir,
    // The folder's mode and the password control access; the socket's mode is a third barrier.
    unix_socket_permissions: "0700",
    max_connections: String(connectionsWithoutWorkers + connectionsPerWorker * options.workers),
    shared_buffers: "32MB",
    dynamic_shared_memory_type: options.dynamicSharedMemoryType,
    // PostgreSQL 18's I/O workers cost memory and gain nothing on a database that fits into the cache.
    io_method: "sync",
    max_logical_replication_workers: "0",
    min_wal_size: "32MB",
    max_wal_size: "256MB",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    timezone: "UTC",
    log_timezone: "UTC",
    log_destination: "stderr",
    logging_collector: "off",
    log_checkpoints: "off",
  };
}

/** Parallel queries share memory through /dev/shm, which in a container may be missing or too small. */
export async function findDynamicSharedMemoryType(sharedMemoryDir = "/dev/shm"): Promise<"posix" | "mmap"> {
  try {
    const [folder, fileSystem] = await Promise.all([stat(sharedMemoryDir), statfs(sharedMemoryDir)]);
    const isOpenToAll = (folder.mode & 0o003) === 0o003;
    const isLargeEnough = fileSystem.bavail * fileSystem.bsize >= minSharedMemoryBytes;
    return isOpenToAll && isLargeEnough ? "posix" : "mmap";
  } catch {
    return "mmap";
  }
}

export function toCommandLine(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
