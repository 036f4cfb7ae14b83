import { expect, test } from "vitest";
import {
  isPostmasterCommandLine,
  isRunningPostmaster,
  parsePostmasterPidFile,
} from "./postmaster-pid-file.ts";

const lines = ["4711", "/data", "1800000000", "5432", "/run/pg", "", "  1234  5", "ready   ", ""];

test("the file of a running server names its process, its cluster and its state", () => {
  expect(parsePostmasterPidFile(lines.join("\n"))).toEqual({ pid: 4711, clusterDir: "/data", isReady: true });
  const starting = lines.with(7, "starting");
  expect(parsePostmasterPidFile(starting.join("\n"))?.isReady).toBe(false);
});

test.each(["", "\n", "47", "4711\n", "-4711\n/data\n", "x\n/data\n"])("%j is no pid file", (text) => {
  expect(parsePostmasterPidFile(text)).toBeUndefined();
});

test("only a postgres on the same cluster counts as the server", () => {
  expect(isPostmasterCommandLine("/b/bin/postgres\0-D\0/data\0-c\0port=1\0", "/data")).toBe(true);
  expect(isPostmasterCommandLine("/b/bin/postgres\0-D\0/other\0", "/data")).toBe(false);
  expect(isPostmasterCommandLine("/usr/bin/vim\0-D\0/data\0", "/data")).toBe(false);
  expect(isPostmasterCommandLine("postgres\0", "/data")).toBe(false);
  expect(isPostmasterCommandLine("", "/data")).toBe(false);
});

test("a process that reuses the pid is not the server", async () => {
  const pidFile = { pid: process.pid, clusterDir: "/data", isReady: true };
  expect(await isRunningPostmaster(pidFile)).toBe(false);
});
