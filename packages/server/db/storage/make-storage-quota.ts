import { type RawBuilder, sql } from "kysely";
import {
  type HoldPlace,
  type QuotaUse,
  type StorageQuota,
  type StorageUse,
  sumUse,
} from "../../domain/storage/storage-quota.ts";
import type { Database, DatabaseHandle } from "../database.ts";

const REFRESH_MS = 60_000;
/** Five missed refreshes: whoever created the hold is gone. */
const LIFETIME = sql`interval '5 minutes'`;

/** A client's storage use as an SQL expression. Unfinished uploads hold what they announced, between requests too. */
export function selectStorageUse(clientId: RawBuilder<string>, exceptId = ""): RawBuilder<StorageUse> {
  const sumOf = (noun: string) => sql`
    coalesce((select sum(total_bytes) from storage_totals where client_id = ${clientId} and noun = ${noun}), 0)`;
  return sql`json_build_object('assetsBytes', ${sumOf("assets")}, 'outputsBytes', ${sumOf("outputs")},
    'heldBytes', coalesce((select sum(size_bytes) from quota_holds
      where client_id = ${clientId} and id <> ${exceptId} and seen_at > now() - ${LIFETIME}), 0)
      + coalesce((select sum(size_bytes) from uploads where client_id = ${clientId}), 0))`;
}

export async function loadStorageUse(
  db: DatabaseHandle,
  clientId: string,
  options: { exceptId?: string | undefined } = {},
): Promise<StorageUse> {
  const { rows } = await sql<{
    use: StorageUse;
  }>`select ${selectStorageUse(sql`${clientId}::text`, options.exceptId)} as use`.execute(db);
  return rows[0]?.use ?? { assetsBytes: 0, outputsBytes: 0, heldBytes: 0 };
}

/**
 * The use if this many more bytes would exceed the quota. Under the lock of the client's row until the transaction ends, so that concurrent uploads see each
 * other's holds.
 */
export async function findShortage(
  transaction: DatabaseHandle,
  { id, clientId }: HoldPlace,
  { sizeBytes, defaultQuotaBytes }: { sizeBytes: number; defaultQuotaBytes: number },
): Promise<QuotaUse | "no-quota" | undefined> {
  const row = await transaction
    .selectFrom("clients")
    .select("storage_quota_bytes")
    .where("id", "=", clientId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const quotaBytes = row?.storage_quota_bytes ?? defaultQuotaBytes;
  if (quotaBytes === 0) return "no-quota";
  const usedBytes = sumUse(await loadStorageUse(transaction, clientId, { exceptId: id }));
  return usedBytes + sizeBytes > quotaBytes ? { quotaBytes, usedBytes } : undefined;
}

/** Deletes the holds of dead processes; returns how many. */
export async function deleteOldHolds(db: DatabaseHandle): Promise<number> {
  const deleted = await sql`delete from quota_holds where seen_at < now() - ${LIFETIME}`.execute(db);
  return Number(deleted.numAffectedRows ?? 0n);
}

/** The quotas of all clients, with the holds of this process. */
export function makeStorageQuota(options: {
  db: Database;
  /** For clients without an individual quota; 0 = none. */
  defaultQuotaBytes: number;
  onError: (error: unknown) => void;
}): StorageQuota & { close(): void } {
  const { db, defaultQuotaBytes, onError } = options;
  const own = new Set<string>();
  const refresh = async () => {
    if (own.size === 0) return;
    await sql`update quota_holds set seen_at = now() where id = any(${[...own]})`.execute(db);
  };
  const timer = setInterval(() => void refresh().catch(onError), REFRESH_MS).unref();

  const loadQuota = async (clientId: string) => {
    const query = db.selectFrom("clients").select("storage_quota_bytes").where("id", "=", clientId);
    return (await query.executeTakeFirst())?.storage_quota_bytes ?? defaultQuotaBytes;
  };

  const tryHold = (place: HoldPlace, sizeBytes: number) =>
    db.transaction().execute(async (transaction): Promise<QuotaUse | "held" | undefined> => {
      const { id, clientId } = place;
      const shortage = await findShortage(transaction, place, { sizeBytes, defaultQuotaBytes });
      if (shortage) return shortage === "no-quota" ? undefined : shortage;
      await sql`
        insert into quota_holds (id, client_id, size_bytes) values (${id}, ${clientId}, ${sizeBytes})
        on conflict (id) do update set size_bytes = excluded.size_bytes, seen_at = now()`.execute(
        transaction,
      );
      return "held";
    });

  return {
    async hold(place, sizeBytes) {
      const outcome = await tryHold(place, sizeBytes);
      if (outcome === "held") own.add(place.id);
      return outcome === "held" ? undefined : outcome;
    },
    async release(id) {
      if (!own.delete(id)) return;
      await db.deleteFrom("quota_holds").where("id", "=", id).execute();
    },
    async findQuota(clientId, exceptId) {
      const quotaBytes = await loadQuota(clientId);
      if (quotaBytes === 0) return undefined;
      return { quotaBytes, usedBytes: sumUse(await loadStorageUse(db, clientId, { exceptId })) };
    },
    close: () => clearInterval(timer),
  };
}
