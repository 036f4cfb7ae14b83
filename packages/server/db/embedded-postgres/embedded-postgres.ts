import { join } from "node:path";
import { openBoundedLog } from "./bounded-log.ts";
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
import { type Postmaster, startPostmaster } from "./start-postmaster.ts";
import { toEmbeddedPostgresError } from "./to-embedded-postgres-error.ts";

export { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export type EmbeddedPostgres = {
  /** For `pg`: the unix socket and the password of the role that owns the database. A secret. */
  connectionString: string;
  pid: number;
  /** Ends the server and gives the data folder free; a second call waits for the first. */
  stop(): Promise<void>;
};

type EmbeddedPostgresOptions = {
  /**
   * Everything embedded lives below it; made where missing. Started by root below a folder only root can enter, the
   * PostgreSQL part goes to /var/lib/stemwright-postgres, and a file below `dataDir` says so.
   */
  dataDir: string;
  /** How many worker processes there has to be room for; 1 where nothing is said. */
  workers?: number;
  /** Told about whatever takes longer than a moment. */
  onProgress?: (message: string) => void;
  /** The server ended although nobody stopped it. */
  onExit?: (reason: string) => void;
};

/** Starts PostgreSQL on `dataDir`, after setting it up there if this is the first time. */
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
    const postmaster = await reportWhileSlow({ message: "starting the database", onProgress }, () =>
      startPostmaster({
        program: binaries.postgres,
        dataDir: cluster.dataDir,
        settingArgs: toCommandLine(settings),
        ids: home.account.serverIds,
        log,
      }),
    );
    const connectionString = makeConnectionString(cluster, socketDir.dir);
    const giveBack = () => tidyUp().finally(() => home.release());
    return { connectionString, pid: postmaster.pid, stop: supervise(postmaster, { ...options, giveBack }) };
  } catch (error) {
    await tidyUp();
    throw error;
  }
}

/** Gives everything back once the server has ended, by our hand or not; returns the function that ends it. */
function supervise(
  postmaster: Postmaster,
  { giveBack, onExit }: Pick<EmbeddedPostgresOptions, "onExit"> & { giveBack: () => Promise<void> },
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const givenBack = postmaster.ended.then(async (reason) => {
    const isUnexpected = stopping === undefined;
    await giveBack().finally(() => {
      if (isUnexpected) onExit?.(reason);
    });
  });
  // Heard by whoever calls stop(); without this a failure to tidy up would end the process before onExit can act.
  givenBack.catch(() => {});
  return () => {
    stopping ??= postmaster.end().then(() => givenBack);
    return stopping;
  };
}

function makeConnectionString(cluster: Cluster, socketDir: string): string {
  const query = new URLSearchParams({ host: socketDir, port: String(socketPort) });
  return `postgresql://${serviceName}:${cluster.password}@/${serviceName}?${query}`;
}
