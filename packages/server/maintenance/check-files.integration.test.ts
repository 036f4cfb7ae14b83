import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { openOwnBlobs } from "../blobs/open-own-blobs.ts";
import { parseCheckFilesCommand } from "../commands/check-files-command.ts";
import { loadConfig } from "../config/load-config.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import { makeId } from "../domain/ids.ts";

const BUCKET = "checked";
let store: Awaited<ReturnType<typeof startS3Server>>;
let api: TestApi;
beforeAll(async () => {
  store = await startS3Server();
  store.addBucket(BUCKET);
});
afterAll(() => store.close());

async function run(config: ReturnType<typeof loadConfig>, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const before = process.exitCode;
  await parseCheckFilesCommand(args)({ db: api.database.db, config }, (line) => lines.push(line));
  lines.push(`exit code ${process.exitCode ?? 0}`);
  process.exitCode = before;
  return lines;
}

it.each(["files", "S3"])(
  "[S35] what lost transactions leave is named, and repaired if wanted: %s",
  async (kind) => {
    const environment: Record<string, string> =
      kind === "files"
        ? {}
        : {
            S3_BUCKET: BUCKET,
            S3_PREFIX: "house",
            AWS_ENDPOINT_URL_S3: store.endpoint,
            AWS_REGION: S3_REGION,
            AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
            AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
          };
    api = await startTestApi(environment);
    const config = loadConfig({ ...environment, DATA_DIR: api.dataDir });
    const { pool, db } = api.database;
    const blobs = await openOwnBlobs(config);
    const upload = async () => ((await (await api.upload("sound", "a.wav")).json()) as { id: string }).id;
    const write = (key: string) => blobs.write(key, Readable.from([Buffer.from("stem")]));
    const [kept, lost, back] = [await upload(), await upload(), await upload()];
    // A Task that was deleted, with its files, and came back; another one is whole.
    const [gone, whole] = [makeId(), makeId()];
    for (const id of [gone, whole]) {
      await pool.query(
        "insert into tasks (id, client_id, url, created_at, completed_at) values ($1, $2, 'https://x.example', now(), now())",
        [id, api.account.clientId],
      );
      await pool.query(
        "insert into targets (id, task_id, position, model, formats, options, credits_per_minute, status) values ($1, $1, 0, 'vocals', '{wav}', '{}', 1, 'completed')",
        [id],
      );
      const key = `outputs/${id}/vocals.wav`;
      await pool.query("insert into outputs values ($1, 0, 'vocals', 'wav', $2, 4)", [id, key]);
      if (id === whole) await write(key);
    }
    // An upload in progress, and files that somebody else put there.
    const announced = `assets/${makeId()}`;
    await makeUnclaimedFiles(db).announce(announced);
    for (const key of [`${announced}/a.wav`, "elsewhere/notes.txt"]) await write(key);
    if (kind === "files") await writeFile(join(config.blobsDir, "partial", makeId()), "half");
    await pool.query("delete from assets where id = $1", [lost]);
    await blobs.delete(`assets/${back}`);

    const findings = [
      `without a row: assets/${lost}`,
      ...[`assets/${back}/a.wav`, `outputs/${gone}/vocals.wav`].map((key) => `without its file: ${key}`),
    ];
    const rest = "not ours, left alone: elsewhere/notes.txt";
    expect(await run(config)).toEqual([
      ...findings,
      "5 files checked: 1 folders without a row, 2 rows without their file",
      rest,
      "Repeat with --repair to remove both.",
      "exit code 1",
    ]);
    expect(await run(config, "--repair")).toEqual([
      ...findings,
      "5 files checked: 1 folders without a row, 2 rows without their file, repaired",
      rest,
      "exit code 0",
    ]);
    expect(await run(config)).toEqual([
      "5 files checked: 0 folders without a row, 0 rows without their file",
      rest,
      "exit code 0",
    ]);
    expect((await api.call(`/assets/${back}`)).status).toBe(404);
    expect((await api.call(`/assets/${kept}`)).status).toBe(200);
    // Not at once: whoever repairs by mistake, against another database, has a day.
    const { rows } = await pool.query(
      "select due_at > now() + interval '23 hours' as is_kept from unclaimed_files where key_prefix = $1",
      [`assets/${lost}`],
    );
    expect(rows).toEqual([{ is_kept: true }]);
    const removed = await pool.query("select id from tasks where outputs_removed_at is not null");
    expect(removed.rows).toEqual([{ id: gone }]);
    await api.close();
  },
);

it("[S35] wrong arguments are refused with how to call it", () => {
  expect(() => parseCheckFilesCommand(["--fix"])).toThrow(/^usage:/);
  expect(() => parseCheckFilesCommand(["--repair", "now"])).toThrow(/^usage:/);
});
