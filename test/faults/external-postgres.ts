import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getPostgresBundle } from "../../packages/server/db/embedded-postgres/get-postgres-bundle.ts";
import { installBinaries } from "../../packages/server/db/embedded-postgres/install-binaries.ts";
import { makeCluster, serviceName } from "../../packages/server/db/embedded-postgres/make-cluster.ts";
import { openHome } from "../../packages/server/db/embedded-postgres/open-home.ts";
import { programEnvironment } from "../../packages/server/db/embedded-postgres/run-program.ts";
import { toCommandLine } from "../../packages/server/db/embedded-postgres/server-settings.ts";
import { findFreePort } from "./find-free-port.ts";
import { type SupervisedProcess, superviseProcess } from "./supervised-process.ts";

export type ExternalPostgres = {
  connectionString: string;
  start(): SupervisedProcess;
  release(): void;
};

/** A PostgreSQL server that the service knows only by DATABASE_URL: on TCP, supervised separately. `given` overrides server settings. */
export async function makeExternalPostgres(
  dir: string,
  given: Record<string, string> = {},
): Promise<ExternalPostgres> {
  const home = await openHome(dir);
  const binaries = await installBinaries(home.dir, await getPostgresBundle(process));
  await makeCluster(home, binaries);
  const dataDir = join(home.dir, "cluster", "data");
  await appendFile(join(dataDir, "pg_hba.conf"), `host all ${serviceName} 127.0.0.1/32 scram-sha-256\n`);
  const password = await readFile(join(home.dir, "cluster", "password"), "utf8");
  const port = await findFreePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "100",
    shared_buffers: "32MB",
    io_method: "sync",
    ...given,
  };
  return {
    connectionString: `postgresql://${serviceName}:${password}@127.0.0.1:${port}/${serviceName}`,
    start: () =>
      superviseProcess({
        program: binaries.postgres,
        args: ["-D", dataDir, ...toCommandLine(settings)],
        cwd: dataDir,
        env: programEnvironment,
        logPath: join(dir, "postgres.log"),
        ids: home.account.serverIds,
        stopSignal: "SIGINT",
      }),
    release: () => home.release(),
  };
}
