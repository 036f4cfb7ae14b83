import { join } from "node:path";
import type { SmallDisk } from "../support/small-disk.ts";
import type { Role } from "./process-tree.ts";

export const MODES = ["embedded", "company"] as const;
export type Mode = (typeof MODES)[number];

/** One installation of the service with all its processes, kept running by a service manager. */
export type Installation = {
  mode: Mode;
  /** Roles to kill. */
  victims: readonly Role[];
  /** One per API process; they stay the same over restarts. */
  addresses: readonly string[];
  dataDirs: readonly string[];
  /** The same folders as this process sees them. */
  seenDataDirs: readonly string[];
  /** The small disk with the data, and with PostgreSQL's; undefined for the machine's own. */
  disk: SmallDisk | undefined;
  /** TMPDIR of all its processes. */
  tempDir: string;
  logPaths: readonly string[];
  /** Starts all processes; ready when /health/ready says so. */
  start(): void;
  /** Stops everything gracefully. */
  stop(): Promise<void>;
  /** The supervised processes, ancestors of all others. */
  listRootPids(): number[];
  /** Undefined while it is unknown. */
  findDatabaseUrl(): Promise<string | undefined>;
  /** Permanently stored files: assets and outputs. */
  listBlobKeys(): Promise<string[]>;
  /** Abandoned multipart uploads. A bucket has a lifecycle rule for these. */
  countOpenUploads(): Promise<number>;
  remove(): Promise<void>;
};

export const PROJECT_DIR = join(import.meta.dirname, "../..");
export const ADMIN_KEY = "sw_FaultsAreSentWithThisKeyAndNothingElseIs0";

export function makeEnvironment(own: Record<string, string>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_ENV: "",
    HOST: "127.0.0.1",
    BOOTSTRAP_API_KEY: ADMIN_KEY,
    RATE_LIMIT_PER_SECOND: "0",
    URL_ALLOW_PRIVATE: "127.0.0.1",
    SPEECH_MODEL: "whisper-tiny",
    LOG_LEVEL: "info",
    ...own,
  };
}
