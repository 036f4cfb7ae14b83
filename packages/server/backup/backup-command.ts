import { resolve } from "node:path";
import type { Config } from "../config/load-config.ts";
import type { Blobs } from "../domain/ports.ts";
import { StartError } from "../faults/start-error.ts";
import { makeBackup } from "./make-backup.ts";
import { restoreBackup } from "./restore-backup.ts";

const USAGE = `usage:
  stemwright backup FILE.tar | FOLDER     of a service that may be running
  stemwright restore FILE.tar | FOLDER    into an installation without accounts, while it is stopped`;

export const BACKUP_COMMANDS = ["backup", "restore"] as const;

type Place = { config: Config; databaseUrl: string; blobs: Blobs };

/** Invalid arguments are rejected before anything starts. */
export function parseBackupCommand(command: (typeof BACKUP_COMMANDS)[number], args: readonly string[]) {
  const [given, ...rest] = args;
  if (given === undefined || rest.length > 0) throw new StartError(USAGE);
  const path = resolve(given);
  return async ({ config, databaseUrl, blobs }: Place, print: (line: string) => void): Promise<void> => {
    const place = { databaseUrl, blobs, encryption: config.encryption };
    if (command === "backup") {
      const { files, fileBytes, rows } = await makeBackup(place, path).catch(explainTaken);
      print(`${path}: ${rows} rows, ${files} files (${(fileBytes / 1e6).toFixed(1)} MB)`);
      print("It holds the key that encrypts secrets: keep it where only you can read it.");
    } else {
      const { version, createdAt, files } = await restoreBackup(place, path);
      print(`restored: ${files} files, as of ${createdAt} (version ${version})`);
    }
  };
}

function explainTaken(error: NodeJS.ErrnoException): never {
  if (error.code !== "EEXIST") throw error;
  throw new StartError(
    `${error.path} is there already: another backup is being made, or was cut off. Remove it`,
    {
      cause: error,
    },
  );
}
