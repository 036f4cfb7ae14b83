import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { auditCharges } from "./audit-charges.ts";
import { ageFiles, auditFiles } from "./audit-files.ts";
import { auditRequests } from "./audit-requests.ts";
import { auditWebhooks } from "./audit-webhooks.ts";
import type { Finding } from "./finding.ts";
import type { Installation } from "./installation.ts";
import { listFiles } from "./list-files.ts";
import { makeStormLog } from "./storm-log.ts";
import { sumOutages } from "./sum-outages.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** Shows each audit of `npm run bench faults` a fault, to prove that it would find it. */
let database: TestDatabase;
let db: pg.Client;
beforeAll(async () => {
  database = await openTestDatabase();
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await db.query(`
    insert into clients (id, name, is_metered) values ('acme', 'Acme', true);
    insert into credit_accounts values ('acme', 98, 0);
    insert into tasks (id, client_id, url, created_at, completed_at) values ('task', 'acme', 'https://a.example/x.wav', now(), now());
    insert into targets (id, task_id, position, model, formats, options, credits_per_minute, status, cost)
      values ('one', 'task', 0, 'bass', '{wav}', '{}', 1, 'completed', 1), ('two', 'task', 1, 'drums', '{wav}', '{}', 1, 'completed', 1);
    insert into outputs values ('one', 0, 'bass', 'wav', 'outputs/task/one/bass.wav', 1), ('two', 0, 'drums', 'wav', 'outputs/task/two/drums.wav', 1);
    insert into credit_entries (id, client_id, kind, amount, balance_after, target_id)
      values ('a', 'acme', 'grant', 100, 100, null), ('b', 'acme', 'charge', -1, 99, 'one'), ('c', 'acme', 'charge', -1, 98, 'two');
    insert into usage_by_month values ('acme', '2026-11-01', 'bass', 1, 9, 1), ('acme', '2026-11-01', 'drums', 1, 9, 1);
    insert into deliveries (id, client_id, task_id, target_id, event, url) values
      ('first', 'acme', 'task', 'one', 'target', 'https://a.example'), ('second', 'acme', 'task', 'two', 'target', 'https://a.example')`);
});
afterAll(async () => {
  await db.end();
  await database.close();
});

/** What an audit finds after a damaging statement, which is then undone. */
async function findAfter(damage: string, audit: () => Promise<Finding[]>): Promise<string[]> {
  await db.query("begin");
  try {
    await db.query(damage);
    return (await audit()).map(({ fault }) => fault);
  } finally {
    await db.query("rollback");
  }
}

describe("the audit of charges", () => {
  it("[B5] finds nothing if each completed target was charged once", async () => {
    expect(await auditCharges(db)).toEqual([]);
  });

  it.each([
    ["a charge that is not the cost", "update targets set cost = 2 where id = 'one'", ["chargesWrong"]],
    [
      "a failed target that was charged",
      "update targets set status = 'error', cost = null where id = 'one'",
      ["chargesWrong"],
    ],
    ["a balance that is not the sum", "update credit_accounts set balance = 97", ["chargesWrong"]],
    ["credits that stay reserved", "update credit_accounts set reserved = 1", ["reservationsLeft"]],
    ["a target that was counted twice", "update usage_by_month set total_targets = 2", ["targetsTwice"]],
  ])("[B5] finds %s", async (_, damage, faults) => {
    expect(await findAfter(damage, () => auditCharges(db))).toEqual(faults);
  });
});

describe("the audit of webhooks", () => {
  const receive = (...ids: string[]) =>
    ({ received: new Map(ids.map((id) => [id, 1])), forged: [] as string[] }) as unknown as WebhookReceiver;

  it("[W2] finds a target without a webhook, one with two, and a bad signature", async () => {
    expect(await auditWebhooks(db, receive("first", "second"), 0)).toEqual([]);
    expect((await auditWebhooks(db, receive("first"), 0)).map(({ detail }) => detail)).toEqual([
      "of target two: second",
    ]);
    const again =
      "insert into deliveries (id, client_id, task_id, target_id, event, url) values ('third', 'acme', 'task', 'two', 'target', 'https://a.example')";
    expect(await findAfter(again, () => auditWebhooks(db, receive("first", "second"), 0))).toEqual([
      "webhooksWrong",
    ]);
    const forged = { ...receive("first", "second"), forged: ["first"] };
    expect(await auditWebhooks(db, forged, 0)).toEqual([{ fault: "webhooksWrong", detail: "first" }]);
  });
});

describe("the audit of files", () => {
  it("[R3] finds files without a row, rows without a file, work folders and half-written and temporary files", async () => {
    const dir = await makeTempDir("audit");
    const [dataDir, tempDir] = [join(dir, "data"), join(dir, "tmp")];
    const put = async (path: string) => {
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, "");
    };
    const blobsDir = join(dataDir, "blobs");
    for (const file of ["outputs/task/one/bass.wav", "assets/nobody/x.wav", "partial/half"])
      await put(join(blobsDir, file));
    await put(join(dataDir, "work", "task", "input"));
    await put(join(tempDir, "lent.wav"));
    const installation = {
      seenDataDirs: [dataDir],
      tempDir,
      listBlobKeys: async () => (await listFiles(blobsDir)).filter((key) => !key.startsWith("partial")),
    } as unknown as Installation;
    expect(await auditFiles(db, installation)).toEqual([
      { fault: "filesStray", detail: "assets/nobody/x.wav" },
      { fault: "filesStray", detail: "blobs/partial/half" },
      { fault: "filesStray", detail: "work/task" },
      { fault: "filesStray", detail: "lent.wav" },
      { fault: "filesMissing", detail: "outputs/task/two/drums.wav" },
    ]);
    await ageFiles(installation);
    const { mtimeMs } = await stat(join(blobsDir, "partial", "half"));
    expect(Date.now() - mtimeMs).toBeGreaterThan(24 * 3_600_000);
  });
});

describe("the audit of requests", () => {
  it("[E9] excuses an unanswered request only while its API was killed and not ready yet", () => {
    const probe = {
      isReady: () => true,
      wasReady: (_: string, fromMs: number, toMs: number) => fromMs < 200 && toMs > 200,
      listOutages: () => [],
      stop: async () => {},
    };
    const log = makeStormLog(() => {});
    log.kills.push({ atMs: 50, role: "worker", pid: 1 }, { atMs: 100, role: "main", pid: 2 });
    const send = (request: string, startedAtMs: number) =>
      log.unanswered.push({
        request,
        address: "a",
        startedAtMs,
        endedAtMs: startedAtMs + 10,
        reason: "broken",
      });
    send("after the worker", 60);
    send("when main was killed", 95);
    send("before it was ready", 150);
    send("after it was ready", 250);
    expect(auditRequests(log, probe).map(({ detail }) => detail)).toEqual([
      "after the worker: broken",
      "after it was ready: broken",
    ]);
  });

  it("[G8] attributes downtime to the kill it started with", () => {
    const kills = [
      { atMs: 1000, role: "main", pid: 1 },
      { atMs: 9000, role: "backend", pid: 2 },
    ] as const;
    const outages = [
      { fromMs: 0, toMs: 500 },
      { fromMs: 1100, toMs: 4000 },
      { fromMs: 8950, toMs: 9500 },
    ];
    expect(sumOutages(kills, outages, 900)).toEqual([
      { role: "main", kills: 1, longestSeconds: 2.9, totalSeconds: 2.9 },
      { role: "backend", kills: 1, longestSeconds: 0.5, totalSeconds: 0.5 },
    ]);
  });
});
