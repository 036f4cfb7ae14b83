import { join } from "node:path";
import { openBoundedLog } from "./bounded-log.ts";
import { readConnectionFile, removeConnectionFile, writeConnectionFile } from "./connection-file.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { endOrphan } from "./end-orphan.ts";
import { getPostgresBundle, type PostgresBundle } from "./get-postgres-bundle.ts";
import { installBinaries } from "./install-binaries.ts";
import { makeCluster, serviceName } from "./make-cluster.ts";
import { type Cluster, clusterDataDir, openCluster } from "./open-cluster.ts";
import { openHome, type PostgresHome } from "./open-home.ts";
import { reportWhileSlow } from "./report-while-slow.ts";
import {
  findDynamicSharedMemoryType,
  makeServerSettings,
  socketPort,
  toCommandLine,
} from "./server-settings.ts";
import { makeSocketDir } from "./socket-dir.ts";
import { startPostmaster } from "./start-postmaster.ts";
import { supervisePostmaster } from "./supervise-postmaster.ts";
import { toEmbeddedPostgresError } from "./to-embedded-postgres-error.ts";

export { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export type EmbeddedPostgres = {
  /** For `pg`: the unix socket and the password of the role that owns the database. A secret. */
  connectionString: string;
  /** Of the current server, or the last one. */
  readonly pid: number;
  /** Stops the server and releases the data folder; a second call waits for the first. */
  stop(): Promise<void>;
};

type EmbeddedPostgresOptions = {
  /**
   * Holds everything embedded; created if missing. If root starts the service and only root can enter the folder, the PostgreSQL part goes to
   * /var/lib/stemwright-postgres, and a file in `dataDir` says so.
   */
  dataDir: string;
  /** Number of worker processes that need connections; 1 by default. */
  workers?: number;
  /** Called for whatever takes longer than a moment. */
  onProgress?: (message: string) => void;
  /** The server ended unexpectedly or could not be restarted; restarts are attempted until it runs. */
  onDown?: (error: EmbeddedPostgresError) => void;
  /** The server accepts connections again. */
  onUp?: () => void;
};

/** Starts PostgreSQL on `dataDir`, after creating the database there if needed. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const bundle = await getPostgresBundle(process);
    const home = await openHome(options.dataDir);
    try {
      return await startInHome({ ...options, home, bundle });
    } catch (error) {
      home.release();
      throw error;
    }
  } catch (error) {
    throw toEmbeddedPostgresError(error, options.dataDir);
  }
}

/** Uses the server of a service running on `dataDir`, without stopping it afterwards; if there is none, starts one. */
export async function joinEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<Pick<EmbeddedPostgres, "connectionString" | "stop">> {
  try {
    return await startEmbeddedPostgres(options);
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.code !== "data_dir_in_use") throw error;
    const connectionString = await readConnectionFile(options.dataDir);
    // The service is just starting or stopping.
    if (connectionString === undefined) throw error;
    return { connectionString, stop: async () => {} };
  }
}

async function startInHome(
  options: EmbeddedPostgresOptions & { home: PostgresHome; bundle: PostgresBundle },
): Promise<EmbeddedPostgres> {
  const { home, bundle, onProgress } = options;
  await reportWhileSlow({ message: "ending the database server a killed service left", onProgress }, () =>
    endOrphan(clusterDataDir(home)),
  );
  const binaries = await reportWhileSlow({ message: "copying the database server", onProgress }, () =>
    installBinaries(home.dir, bundle),
  );
  const makeMissing = () =>
    reportWhileSlow({ message: "setting up the database", onProgress }, () => makeCluster(home, binaries));
  const cluster = await openCluster({ home, bundle, onMissing: makeMissing });
  const socketDir = await makeSocketDir(home);
  const log = await openBoundedLog(join(home.dir, "postgres.log"));
  const tidyUp = async () => {
    log.close();
    await socketDir.remove();
  };
  try {
    const settings = makeServerSettings({
      socketDir: socketDir.dir,
      dynamicSharedMemoryType: await findDynamicSharedMemoryType(),
      workers: options.workers ?? 1,
    });
    const start = (signal?: AbortSignal) =>
      startPostmaster({
        program: binaries.postgres,
        dataDir: cluster.dataDir,
        settingArgs: toCommandLine(settings),
        ids: home.account.serverIds,
        log,
        ...(signal ? { signal } : {}),
      });
    const first = await reportWhileSlow({ message: "starting the database", onProgress }, () => start());
    const { onDown = () => {}, onUp = () => {} } = options;
    const supervision = supervisePostmaster(first, {
      async start(signal) {
        await endOrphan(cluster.dataDir);
        await socketDir.clear();
        return await start(signal);
      },
      onDown: (error) => onDown(toEmbeddedPostgresError(error, options.dataDir)),
      onUp,
    });
    const connectionString = makeConnectionString(cluster, socketDir.dir);
    await writeConnectionFile(options.dataDir, connectionString);
    return {
      connectionString,
      get pid() {
        return supervision.pid;
      },
      stop: makeStop(async () => {
        await removeConnectionFile(options.dataDir);
        await supervision.stop();
        await tidyUp().finally(() => home.release());
      }),
    };
  } catch (error) {
    await tidyUp();
    throw error;
  }
}

/** Makes a stop function idempotent. */
function makeStop(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

function makeConnectionString(cluster: Cluster, socketDir: string): string {
  const query = new URLSearchParams({ host: socketDir, port: String(socketPort) });
  return `postgresql://${serviceName}:${cluster.password}@/${serviceName}?${query}`;
}
