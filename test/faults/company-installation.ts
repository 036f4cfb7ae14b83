import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestStore } from "../support/test-store.ts";
import { makeExternalPostgres } from "./external-postgres.ts";
import { findFreePort } from "./find-free-port.ts";
import { type Installation, makeEnvironment, PROJECT_DIR } from "./installation.ts";
import { type SupervisedProcess, superviseProcess } from "./supervised-process.ts";

const BUCKET = "stemwright-faults";
const APIS = 2;
const WORKERS = 2;

/**
 * The service as a company runs it: PostgreSQL and an S3 store elsewhere, API processes behind a load balancer, and workers, each with separate folders, as
 * on separate machines. TEST_S3_ENDPOINT selects another store than the built-in test server.
 */
export async function makeCompanyInstallation(): Promise<Installation> {
  const dir = await makeTempDir("faults-company");
  const tempDir = join(dir, "tmp");
  await mkdir(tempDir);
  const postgres = await makeExternalPostgres(join(dir, "database"));
  const store = await openTestStore();
  await store.addBucket(BUCKET);
  const { endpoint, region, credentials } = store;
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const ports = await Promise.all(Array.from({ length: APIS }, findFreePort));
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  const shared = {
    DATABASE_URL: postgres.connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    S3_BUCKET: BUCKET,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    PUBLIC_BASE_URL: addresses[0] ?? "",
    TMPDIR: tempDir,
    // Two workers share the cores, and every Task runs its networks: the stem cache is off.
    ENGINE_THREADS: "1",
    CACHE_SIZE_BYTES: "0",
  };
  const processes = [
    ...ports.map((port, index) => ({ command: "api", name: `api-${index + 1}`, PORT: String(port) })),
    ...Array.from({ length: WORKERS }, (_, index) => ({ command: "worker", name: `worker-${index + 1}` })),
  ];
  const toLogPath = (name: string) => join(dir, `${name}.log`);
  let database: SupervisedProcess | undefined;
  let running: SupervisedProcess[] = [];

  const dataDirs = processes.map(({ name }) => join(dir, name));
  return {
    mode: "company",
    victims: ["api", "worker", "engine", "media", "postmaster", "backend"],
    addresses,
    dataDirs,
    seenDataDirs: dataDirs,
    disk: undefined,
    tempDir,
    logPaths: processes.map(({ name }) => toLogPath(name)),
    start() {
      database = postgres.start();
      running = processes.map(({ command, name, ...own }) =>
        superviseProcess({
          program: "npm",
          args: ["run", "--silent", command],
          cwd: PROJECT_DIR,
          env: makeEnvironment({ ...shared, ...own, DATA_DIR: join(dir, name) }),
          logPath: toLogPath(name),
        }),
      );
    },
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      await database?.stop();
    },
    listRootPids: () => [database, ...running].map((one) => one?.pid()).filter((pid) => pid !== undefined),
    findDatabaseUrl: async () => postgres.connectionString,
    async listBlobKeys() {
      const listed = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET }));
      return (listed.Contents ?? []).flatMap(({ Key }) => Key ?? []);
    },
    countOpenUploads: () => store.countUploads(BUCKET),
    async remove() {
      s3.destroy();
      await store.close();
      postgres.release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
