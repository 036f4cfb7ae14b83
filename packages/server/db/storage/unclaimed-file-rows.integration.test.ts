import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { makeAssetStore } from "../assets/make-asset-store.ts";
import { claimFiles, makeUnclaimedFiles } from "./unclaimed-file-rows.ts";

let database: TestDatabase;
const clientId = makeId();
beforeAll(async () => {
  database = await openTestDatabase();
  await insertClient(database.db, { id: clientId, name: "Test" });
});
afterAll(() => database.close());

describe("the files of an upload", () => {
  it("[A2] are not removed while their commit is in progress", async () => {
    const unclaimed = makeUnclaimedFiles(database.db);
    for (const isCommitted of [true, false]) {
      const folder = `assets/${makeId()}`;
      await unclaimed.announce(folder);
      const claimed = Promise.withResolvers<void>();
      const ending = Promise.withResolvers<void>();
      const committing = database.db.transaction().execute(async (transaction) => {
        await claimFiles(transaction, folder);
        claimed.resolve();
        await ending.promise;
        if (!isCommitted) throw new Error("rolled back");
      });
      committing.catch(() => {});
      await claimed.promise;
      const taking = unclaimed.takeForRemoval(folder);
      const waiting =
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%is_being_removed%'";
      await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
      ending.resolve();
      expect(await taking).toBe(!isCommitted);
    }
  });

  it("[A2] cannot become an asset while being removed", async () => {
    const unclaimed = makeUnclaimedFiles(database.db);
    const id = makeId();
    const file = { name: "a.wav", format: "wav", sizeBytes: 1, blobKey: `assets/${id}/a.wav` };
    await unclaimed.announce(`assets/${id}`);
    expect(await unclaimed.takeForRemoval(`assets/${id}`)).toBe(true);
    const assets = makeAssetStore(database.db);
    const inserting = assets.insertAsset({ id, clientId, createdAt: new Date(), ...file });
    await expect(inserting).rejects.toMatchObject({ code: "UPLOAD_BROKEN" });
    expect(await assets.findAsset(clientId, id)).toBeUndefined();
  });
});
