import { listOwnFiles } from "../blobs/list-own-files.ts";
import { openOwnBlobs } from "../blobs/open-own-blobs.ts";
import type { Config } from "../config/load-config.ts";
import type { Database } from "../db/database.ts";
import { StartError } from "../faults/start-error.ts";
import { checkFiles } from "../maintenance/check-files.ts";

const USAGE = `usage:
  stemwright check-files             name files without a row, and rows without their file; changes nothing
  stemwright check-files --repair    leave such files to the sweep, which removes them a day later, and remove such rows`;

/** Ends with 1 if something was found that was not repaired. Invalid arguments are rejected before anything starts. */
export function parseCheckFilesCommand(args: readonly string[]) {
  const isRepairing = args[0] === "--repair";
  if (args.length > (isRepairing ? 1 : 0)) throw new StartError(USAGE);
  return async ({ db, config }: { db: Database; config: Config }, print: (line: string) => void) => {
    const blobs = await openOwnBlobs(config);
    const found = await checkFiles({ db, blobs, keys: listOwnFiles(config), isRepairing });
    for (const folder of found.strayFolders) print(`without a row: ${folder}`);
    for (const key of found.missingKeys) print(`without its file: ${key}`);
    const [strays, missing] = [found.strayFolders.length, found.missingKeys.length];
    print(
      `${found.files} files checked: ${strays} folders without a row, ${missing} rows without their file${isRepairing ? ", repaired" : ""}`,
    );
    if (found.unknownFolders.length > 0)
      print(`not ours, left alone: ${found.unknownFolders.slice(0, 10).join(", ")}`);
    if (strays + missing > 0 && !isRepairing) {
      print("Repeat with --repair to remove both.");
      process.exitCode = 1;
    }
  };
}
