import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertKey } from "../packages/server/db/accounts/key-rows.ts";
import { makeKey } from "../packages/server/domain/accounts/key-secrets.ts";
import { makeTone, toWav } from "./support/audio.ts";
import { startTestApi, type TestApi } from "./support/test-api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Runs a code block of the page in a shell; returns each command's answer. */
async function run(block: string, folder: string, environment: Record<string, string>) {
  const quiet = "curl() { command curl -sS --fail-with-body -w '\\n' \"$@\"; }\n";
  const shell = spawn("bash", ["-e", "-c", quiet + block], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(shell, "exit");
  const output = await text(shell.stdout);
  expect(await exited, output).toEqual([0, null]);
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; job?: { id: string } });
}

it("[J2] [J3] [J4] the commands of docs/migrating-from-jobs.md work, before and after", async () => {
  const page = await readFile(join(import.meta.dirname, "..", "docs", "migrating-from-jobs.md"), "utf8");
  const [upload = "", ask = "", look = ""] = [...page.matchAll(/^```\n(# before\n[\s\S]*?)^```$/gm)].map(
    ([, block]) => block ?? "",
  );
  const folder = join(api.dataDir, "song");
  await mkdir(folder);
  const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));
  await writeFile(join(folder, "song.mp3"), song);
  const { clientId, key } = api.account;
  const token = makeKey();
  await insertKey(api.database.db, { clientId, name: "Old", role: "client", kind: "legacy", secret: token });

  const access = { BASE: api.address, TOKEN: token, KEY: key };
  const [, asset] = await run(upload, folder, access);
  const [old, task] = await run(ask, folder, { ...access, ASSET: asset?.id ?? "" });
  expect(old).toMatchObject({ job: { status: "created", metadata: { name: "vocals", residual: true } } });
  expect(task).toMatchObject({ targets: [{ model: "vocals", residual: true, status: "processing" }] });
  const ids = { JOB: old?.job?.id ?? "", TASK: task?.id ?? "" };
  const probes = await run(look, folder, { ...access, ...ids });
  expect(probes).toMatchObject([{ job: { id: ids.JOB, outputAssets: [] } }, { id: ids.TASK }]);
});
