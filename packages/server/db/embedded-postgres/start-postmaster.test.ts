import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { openBoundedLog } from "./bounded-log.ts";
import { startPostmaster } from "./start-postmaster.ts";

/** Starts a program that briefly reports itself ready like PostgreSQL, and then exits with the given status. */
async function endAfterStart(end: string): Promise<string> {
  const dataDir = await makeTempDir("postmaster");
  const program = join(dataDir, "postgres");
  const pidFile = `printf '%s\\n' $$ "$2" 3 4 5 6 7 ready > postmaster.pid`;
  await writeFile(program, `#!/bin/sh\n${pidFile}\nsleep 0.3\n${end}\n`, { mode: 0o700 });
  const log = await openBoundedLog(join(dataDir, "postgres.log"));
  try {
    const postmaster = await startPostmaster({ program, dataDir, settingArgs: [], ids: undefined, log });
    return (await postmaster.ended).message.replaceAll(dataDir, "DIR");
  } finally {
    log.close();
  }
}

const FULL = 'could not write to file "pg_wal/xlogtemp.7": No space left on device';

test("a server stopped by a full disk says so, like one that can't start", async () => {
  expect(await endAfterStart(`echo 'PANIC:  ${FULL}' >&2; exit 1`)).toMatch(
    /^The disk is full: .* in DIR, .*Free some space/,
  );
});

test.each([
  [`echo 'ERROR:  ${FULL}' >&2; exit 1`, "exit code 1"],
  [`echo 'PANIC:  ${FULL}' >&2; kill -9 $$`, "signal SIGKILL"],
])("a server that ended of something else names its log: %s", async (end, how) => {
  expect(await endAfterStart(end)).toBe(`PostgreSQL ended (${how}); its log is DIR/postgres.log`);
});
