import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PARTIAL_DIR } from "../../packages/server/blobs/file-blobs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { findFreePort } from "./find-free-port.ts";
import { type Installation, makeEnvironment, PROJECT_DIR } from "./installation.ts";
import { listFiles } from "./list-files.ts";
import { listProcessTree } from "./process-tree.ts";
import { type SupervisedProcess, superviseProcess } from "./supervised-process.ts";

const START = ["npm", "start", "--silent"] as const;
/** Of a full disk that is to be met within a storm: PostgreSQL's cluster, its log and some files fit. */
const SMALL_DISK_MIB = 700;
const MIN_SMALL_DISK_BYTES = 64 * 1024 ** 2;

/** The whole service as `npm start` runs it, with its own database and its files on this disk or on a small one. */
export async function makeEmbeddedInstallation(options: { isDiskSmall: boolean }): Promise<Installation> {
  const dir = await makeTempDir("faults-embedded");
  const dataDir = join(dir, "data");
  const tempDir = join(dir, "tmp");
  await mkdir(tempDir);
  const port = await findFreePort();
  await mkdir(dataDir);
  const disk = options.isDiskSmall ? await mountSmallDisk(dataDir, SMALL_DISK_MIB) : undefined;
  const seenDataDir = disk ? disk.toSeen(dataDir) : dataDir;
  const [program, ...args] = disk?.enter(PROJECT_DIR, ...START) ?? START;
  const ownEnvironment = disk
    ? // A worker that is killed while PostgreSQL has no room to start waits for it.
      { DISK_FREE_MIN_BYTES: String(MIN_SMALL_DISK_BYTES), DATABASE_WAIT_SECONDS: "300" }
    : {};
  const blobsDir = join(seenDataDir, "blobs");
  const logPath = join(dir, "service.log");
  let service: SupervisedProcess | undefined;
  const listRootPids = () => [service?.pid()].filter((pid) => pid !== undefined);

  return {
    mode: "embedded",
    victims: ["main", "worker", "engine", "media", "postmaster", "backend"],
    addresses: [`http://127.0.0.1:${port}`],
    dataDirs: [dataDir],
    seenDataDirs: [seenDataDir],
    disk,
    tempDir,
    logPaths: [logPath],
    start() {
      service = superviseProcess({
        program,
        args,
        cwd: PROJECT_DIR,
        env: makeEnvironment({ DATA_DIR: dataDir, PORT: String(port), TMPDIR: tempDir, ...ownEnvironment }),
        logPath,
      });
    },
    async stop() {
      await service?.stop();
    },
    listRootPids,
    /** Only its own processes know the password: it is in a worker's environment. */
    async findDatabaseUrl() {
      const worker = (await listProcessTree(listRootPids())).find(({ role }) => role === "worker");
      const environment = await readFile(`/proc/${worker?.pid}/environ`, "utf8").catch(() => "");
      const url = /(?:^|\0)DATABASE_URL=([^\0]+)/.exec(environment)?.[1];
      return url === undefined || !disk ? url : disk.toSeenUrl(url);
    },
    listBlobKeys: async () => (await listFiles(blobsDir)).filter((key) => !key.startsWith(PARTIAL_DIR)),
    countOpenUploads: async () => 0,
    async remove() {
      await disk?.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
