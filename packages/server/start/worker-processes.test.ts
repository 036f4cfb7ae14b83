import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { makeLog } from "../log/make-log.ts";
import { startWorkerProcesses } from "./worker-processes.ts";

it("[S4] a worker that can't be started is retried, and crashes nothing else", async () => {
  const lines: { msg: string; err?: { code: string } }[] = [];
  const log = makeLog({ logLevel: "info", logFile: undefined }, "api", {
    write: (line) => void lines.push(JSON.parse(line)),
  });
  const program = process.execPath;
  onTestFinished(() => {
    process.execPath = program;
  });
  process.execPath = "/nowhere/node";
  // Without settings it exits as soon as it runs.
  const environment = { PATH: process.env.PATH };
  const workers = startWorkerProcesses({ count: 1, drainMs: 0, environment, log });
  await expect.poll(() => lines.length).toBeGreaterThan(2);
  expect(lines.map(({ err }) => err?.code)).toEqual(lines.map(() => "ENOENT"));
  process.execPath = program;
  await expect
    .poll(() => lines.at(-1))
    .toMatchObject({ code: 2, msg: "worker process ended, restarting it" });
  await workers.stop();
});

it("[S34] workers whose log was moved continue in a new one", async () => {
  const dataDir = await makeTempDir("reopen");
  const logFile = join(dataDir, "stemwright.log");
  const lines: string[] = [];
  const log = makeLog({ logLevel: "info", logFile: undefined }, "api", {
    write: (line) => void lines.push(line),
  });
  // Nothing listens there: it waits for its database, and logs that.
  const database = { DATABASE_URL: "postgres://someone@127.0.0.1:1/none", DATABASE_WAIT_SECONDS: "600" };
  const environment = { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_FILE: logFile, ...database };
  const workers = startWorkerProcesses({ count: 1, drainMs: 0, environment, log });
  onTestFinished(() => workers.stop());
  await expect.poll(() => existsSync(logFile) && readFileSync(logFile, "utf8")).toContain('"role":"worker"');
  renameSync(logFile, `${logFile}.1`);
  workers.reopenLogs();
  await expect.poll(() => existsSync(logFile)).toBe(true);
  expect(lines).toEqual([]);
});
