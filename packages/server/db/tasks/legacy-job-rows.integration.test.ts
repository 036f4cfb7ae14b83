import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { listLegacyJobs } from "./legacy-job-rows.ts";
import { insertTask } from "./task-rows.ts";

let database: TestDatabase;
const clientId = makeId();
/** Newest first. */
const ids: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  await insertClient(database.db, { id: clientId, name: "Test" });
  for (let minute = 0; minute < 30; minute += 1) {
    const id = makeId();
    await insertTask(database.db, {
      id,
      clientId,
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)),
      assetId: makeId(),
      targets: [{ id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 }],
      ...(minute % 3 === 0
        ? {}
        : { legacyJob: { requestId: id, metadata: { name: "vocals", format: "wav" } } }),
    });
    if (minute % 3 !== 0) ids.unshift(id);
  }
});
afterAll(() => database.close());

describe("the list of legacy jobs", () => {
  it("[J4] [L1] returns the requested page with the total", async () => {
    const list = async (skip: number, take: number) => {
      const { items, total } = await listLegacyJobs(database.db, clientId, { skip, take });
      expect(total).toBe(20);
      return items.map(({ task }) => task.id);
    };
    expect(await list(0, 100)).toEqual(ids);
    expect(await list(7, 5)).toEqual(ids.slice(7, 12));
    expect(await list(18, 5)).toEqual(ids.slice(18));
    expect(await list(20, 5)).toEqual([]);
  });

  it("[L1] reads the targets of its page only", async () => {
    const scans = await database.db.transaction().execute(async (transaction) => {
      const countScans = async () => {
        const { rows } = await sql<{ scans: number }>`
          select seq_scan + idx_scan as scans from pg_stat_xact_user_tables where relname = 'targets'`.execute(
          transaction,
        );
        return rows[0]?.scans ?? 0;
      };
      const before = await countScans();
      await listLegacyJobs(transaction, clientId, { skip: 15, take: 4 });
      return (await countScans()) - before;
    });
    expect(scans).toBe(4);
  });
});
