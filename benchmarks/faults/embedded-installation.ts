import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PARTIAL_DIR } from "../../packages/server/blobs/file-blobs.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { findFreePort } from "./find-free-port.ts";
import { type Installation, makeEnvironment, PROJECT_DIR } from "./installation.ts";
import { listFiles } from "./list-files.ts";
import { listProcessTree } from "./process-tree.ts";
import { type SupervisedProcess, superviseProcess } from "./supervised-process.ts";

/** The whole service as `npm start` runs it, with its own database and its files on this disk. */
export async function makeEmbeddedInstallation(): Promise<Installation> {
  const dir = await makeTempDir("faults-embedded");
  const dataDir = join(dir, "data");
  const tempDir = join(dir, "tmp");
  await mkdir(tempDir);
  const port = await findFreePort();
  const blobsDir = join(dataDir, "blobs");
  const logPath = join(dir, "service.log");
  let service: SupervisedProcess | undefined;
  const listRootPids = () => [service?.pid()].filter((pid) => pid !== undefined);

  return {
    mode: "embedded",
    victims: ["main", "worker", "engine", "media", "postmaster", "backend"],
    addresses: [`http://127.0.0.1:${port}`],
    dataDirs: [dataDir],
    tempDir,
    logPaths: [logPath],
    start() {
      service = superviseProcess({
        program: "npm",
        args: ["start", "--silent"],
        cwd: PROJECT_DIR,
        env: makeEnvironment({ DATA_DIR: dataDir, PORT: String(port), TMPDIR: tempDir }),
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
      return /(?:^|\0)DATABASE_URL=([^\0]+)/.exec(environment)?.[1];
    },
    listBlobKeys: async () => (await listFiles(blobsDir)).filter((key) => !key.startsWith(PARTIAL_DIR)),
    countOpenUploads: async () => 0,
    async remove() {
      await rm(dir, { recursive: true, force: true });
    },
  };
}
