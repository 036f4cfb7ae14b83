import { expect, it, onTestFinished } from "vitest";
import { makeLog } from "../log/make-log.ts";
import { startWorkerProcesses } from "./worker-processes.ts";

it("[S4] a worker that can't be started is tried again, and ends nothing but itself", async () => {
  const lines: { msg: string; err?: { code: string } }[] = [];
  const log = makeLog({ logLevel: "info", logFile: undefined }, "api", {
    write: (line) => void lines.push(JSON.parse(line)),
  });
  const program = process.execPath;
  onTestFinished(() => {
    process.execPath = program;
  });
  process.execPath = "/nowhere/node";
  // Given no settings to start with, it ends by itself as soon as it runs.
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
