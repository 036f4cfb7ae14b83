import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const CLI = join(import.meta.dirname, "../../packages/cli/stemwright.mjs");

let folder: string;
let service: Service;
beforeAll(async () => {
  folder = await makeTempDir("backup-e2e");
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const runCli = (dataDir: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: join(folder, dataDir) },
  });

it("[S26] backup of a running service with its embedded database, restored into an empty one", async () => {
  service = await startService({ dataDir: join(folder, "old") });
  const { id } = await service.upload(Buffer.from("words"), "words.txt");
  // Keys are made while the service runs, too.
  const { stdout: key } = await runCli("old", "keys", "create", "--name", "Second");
  const path = join(folder, "service.tar");
  expect((await runCli("old", "backup", path)).stdout).toMatch(/service\.tar: \d+ rows, 1 files/);
  await service.stop();

  expect((await runCli("new", "restore", path)).stdout).toMatch(/^ *… .*|restored: 1 files/m);
  service = await startService({ dataDir: join(folder, "new") });
  const answer = await service.call(`/assets/${id}`, { headers: { "x-api-key": key.trim() } });
  const { link } = (await answer.json()) as { link: string };
  expect(await (await fetch(link)).text()).toBe("words");
});
