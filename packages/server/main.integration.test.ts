import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeTempDir } from "../../test/support/temp-dir.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await makeTempDir("main");
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function runMain(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [told, [exitCode]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { told, exitCode };
}

const NOBODY = { DATABASE_URL: "postgres://someone:secret@127.0.0.1:1/none", DATABASE_WAIT_SECONDS: "1" };

it.each([
  [["dance"], {}, /^Stemwright could not start: unknown command "dance"; it must be one of all, api/],
  [["worker"], {}, /^Stemwright could not start: "worker" alone needs DATABASE_URL/],
  [["api"], NOBODY, /^Stemwright could not start: The database of DATABASE_URL can't be reached: start it/m],
  [["keys", "create", "--admin", "--legacy"], {}, /^--admin and --legacy exclude each other/],
  [["keys", "create", "--owner"], {}, /^Unknown option '--owner'.*usage:/s],
  [["keys", "make"], {}, /^usage:/],
])("[S1] %j %j says in a sentence what is wrong, and fails", async (args, environment, sentence) => {
  const { told, exitCode } = await runMain(args, environment);
  expect(told).toMatch(sentence);
  expect(told).not.toMatch(/^ +at |secret/m);
  expect(exitCode).toBe(2);
});

it("[S2] a worker whose parent died before it listened exits", async () => {
  // Accepts the connection and never answers: a worker that has not noticed would wait there.
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const worker = fork(join(import.meta.dirname, "main.ts"), ["worker"], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://someone@127.0.0.1:${port}/none`,
    },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  worker.disconnect();
  const [exitCode] = await once(worker, "exit");
  expect(exitCode).toBe(0);
  silent.close();
});
