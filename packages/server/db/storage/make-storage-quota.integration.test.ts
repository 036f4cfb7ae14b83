import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { changeClient, insertClient } from "../accounts/client-rows.ts";
import { insertAsset } from "../assets/asset-rows.ts";
import { deleteOldHolds, loadStorageUse, makeStorageQuota } from "./make-storage-quota.ts";

let database: TestDatabase;
let clientId: string;
let quota: ReturnType<typeof makeStorageQuota>;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
  quota = makeStorageQuota({ db: database.db, defaultQuotaBytes: 1000, onError: () => {} });
});
afterEach(() => quota.close());

const use = () => loadStorageUse(database.db, clientId);
const roomOf = async (exceptId?: string) => {
  const found = await quota.findQuota(clientId, exceptId);
  return found && found.quotaBytes - found.usedBytes;
};
const addAsset = (id: string, sizeBytes: number) =>
  insertAsset(database.db, {
    ...{ id, clientId, name: "a.wav", format: "wav", sizeBytes, blobKey: `assets/${id}/a.wav` },
    createdAt: new Date(),
  });
const addOutputs = async (sizes: number[], writeDestination: string | null = null) => {
  const taskId = makeId();
  const targetId = makeId();
  const { pool } = database;
  await pool.query(
    "insert into tasks (id, client_id, url, write_destination, created_at) values ($1, $2, 'x', $3, now())",
    [taskId, clientId, writeDestination],
  );
  await pool.query(
    "insert into targets (id, task_id, position, model, formats, options, credits_per_minute) values ($1, $2, 0, 'vocals', '{wav}', '{}', 1)",
    [targetId, taskId],
  );
  for (const [position, sizeBytes] of sizes.entries())
    await pool.query(
      "insert into outputs (target_id, position, name, format, blob_key, size_bytes) values ($1, $2, 'v', 'wav', 'x', $3)",
      [targetId, position, sizeBytes],
    );
  return { taskId, targetId };
};

describe("a client's storage use", () => {
  it("[P4] is the sum of its assets and outputs, whatever is added and removed", async () => {
    await addAsset(makeId(), 100);
    const removed = makeId();
    await addAsset(removed, 30);
    const { taskId } = await addOutputs([7, 8]);
    await addOutputs([500], "s3://bucket/out");
    expect(await use()).toEqual({ assetsBytes: 130, outputsBytes: 15, heldBytes: 0 });
    await database.pool.query("delete from assets where id = $1", [removed]);
    expect(await use()).toEqual({ assetsBytes: 100, outputsBytes: 15, heldBytes: 0 });
    await database.pool.query("delete from tasks where id = $1", [taskId]);
    expect(await use()).toEqual({ assetsBytes: 100, outputsBytes: 0, heldBytes: 0 });
    await database.pool.query("delete from tasks where client_id = $1", [clientId]);
    expect(await use()).toEqual({ assetsBytes: 100, outputsBytes: 0, heldBytes: 0 });
  });

  it("[P4] never exceeds the quota, however many uploads are concurrent", async () => {
    const places = Array.from({ length: 40 }, () => ({ id: makeId(), clientId }));
    const shortages = await Promise.all(places.map((place) => quota.hold(place, 90)));
    expect(shortages.filter((shortage) => shortage === undefined)).toHaveLength(11);
    expect(shortages).toContainEqual({ quotaBytes: 1000, usedBytes: 990 });
    expect(await use()).toMatchObject({ heldBytes: 990 });
  });

  it("[P4] counts holds until the file is stored or released, atomically", async () => {
    const id = makeId();
    expect(await quota.hold({ id, clientId }, 600)).toBeUndefined();
    expect(await quota.hold({ id, clientId }, 900)).toBeUndefined();
    expect(await roomOf()).toBe(100);
    expect(await roomOf(id)).toBe(1000);
    expect(await quota.hold({ id, clientId }, 1001)).toEqual({ quotaBytes: 1000, usedBytes: 0 });
    await addAsset(id, 850);
    expect(await use()).toEqual({ assetsBytes: 850, outputsBytes: 0, heldBytes: 0 });
    const other = makeId();
    await quota.hold({ id: other, clientId }, 150);
    await quota.release(other);
    expect(await roomOf()).toBe(150);
  });

  it("[P4] changes from the hold for a target's outputs to their actual size", async () => {
    const { targetId } = await addOutputs([]);
    await quota.hold({ id: targetId, clientId }, 100);
    await database.pool.query(
      "insert into outputs (target_id, position, name, format, blob_key, size_bytes) values ($1, 0, 'v', 'wav', 'x', 60)",
      [targetId],
    );
    expect(await use()).toEqual({ assetsBytes: 0, outputsBytes: 60, heldBytes: 0 });
  });

  it("[P4] drops the holds of a dead process", async () => {
    const id = makeId();
    await quota.hold({ id, clientId }, 1000);
    await database.pool.query("update quota_holds set seen_at = now() - interval '6 minutes' where id = $1", [
      id,
    ]);
    expect(await roomOf()).toBe(1000);
    expect(await deleteOldHolds(database.db)).toBe(1);
    expect((await database.pool.query("select from quota_holds where id = $1", [id])).rowCount).toBe(0);
  });

  it("[P4] is unlimited for a client with quota 0, and uses the setting if it has no individual quota", async () => {
    await changeClient(database.db, clientId, { storageQuotaBytes: 0 });
    expect(await roomOf()).toBeUndefined();
    expect(await quota.hold({ id: makeId(), clientId }, 1e12)).toBeUndefined();
    await changeClient(database.db, clientId, { storageQuotaBytes: 50 });
    expect(await quota.hold({ id: makeId(), clientId }, 51)).toEqual({ quotaBytes: 50, usedBytes: 0 });
    await changeClient(database.db, clientId, { storageQuotaBytes: "default" });
    expect(await roomOf()).toBe(1000);
  });
});
