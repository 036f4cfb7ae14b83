import { sql } from "kysely";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import type { UnclaimedFiles } from "../../domain/storage/unclaimed-files.ts";
import type { DatabaseHandle } from "../database.ts";

/** An upload that takes longer fails. */
const ANNOUNCED_FOR = sql`interval '24 hours'`;
/** A removal that takes longer has died or hangs. */
const REMOVAL_LEASE = sql`interval '10 minutes'`;
/** How long a worker may keep writing for a deleted Task: far longer than it takes to notice. */
const WRITTEN_FOR = sql`interval '1 hour'`;

export function makeUnclaimedFiles(db: DatabaseHandle): UnclaimedFiles {
  return {
    async announce(keyPrefix) {
      await sql`
        insert into unclaimed_files (key_prefix, due_at) values (${keyPrefix}, now() + ${ANNOUNCED_FOR})
        on conflict (key_prefix) do nothing`.execute(db);
    },
    async isUnclaimed(keyPrefix) {
      const { rows } = await sql`select from unclaimed_files where key_prefix = ${keyPrefix}`.execute(db);
      return rows.length > 0;
    },
    async takeForRemoval(keyPrefix) {
      const { numAffectedRows } = await sql`
        update unclaimed_files set is_being_removed = true, due_at = now() + ${REMOVAL_LEASE}
        where key_prefix = ${keyPrefix}`.execute(db);
      return numAffectedRows === 1n;
    },
    forget: (keyPrefix) => forgetFiles(db, [keyPrefix]),
  };
}

/** In the transaction that makes announced files visible; false if they are being removed or gone. */
export async function claimFiles(db: DatabaseHandle, keyPrefix: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from unclaimed_files where key_prefix = ${keyPrefix} and not is_being_removed`.execute(db);
  return numAffectedRows === 1n;
}

type Disowned = {
  keyPrefixes: readonly string[];
  isWrittenTo?: boolean;
  /** The client that may ask for the removal again. */
  clientId?: string;
  asset?: AssetRecord;
};

/** In the transaction that deletes the files' owner. */
export async function disownFiles(db: DatabaseHandle, disowned: Disowned): Promise<void> {
  const { keyPrefixes, isWrittenTo = false, clientId = null, asset } = disowned;
  if (keyPrefixes.length === 0) return;
  await sql`
    insert into unclaimed_files (key_prefix, due_at, is_being_removed, written_until, client_id, asset)
    select key_prefix, now(), true, case when ${isWrittenTo}::boolean then now() + ${WRITTEN_FOR} end,
      ${clientId}::text, ${asset === undefined ? null : JSON.stringify(asset)}::jsonb
    from unnest(${keyPrefixes}::text[]) as key_prefix
    on conflict (key_prefix) do update set due_at = excluded.due_at, is_being_removed = true,
      written_until = excluded.written_until, client_id = excluded.client_id, asset = excluded.asset`.execute(
    db,
  );
}

/** Something a client deleted whose files are not removed yet. */
export async function findDisowned(
  db: DatabaseHandle,
  clientId: string,
  keyPrefix: string,
): Promise<{ asset: AssetRecord | undefined } | undefined> {
  const { rows } = await sql<{ asset: (Omit<AssetRecord, "createdAt"> & { createdAt: string }) | null }>`
    select asset from unclaimed_files where key_prefix = ${keyPrefix} and client_id = ${clientId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return undefined;
  // JSON has no dates.
  return { asset: row.asset ? { ...row.asset, createdAt: new Date(row.asset.createdAt) } : undefined };
}

/** Claims a batch of due files for the length of the lease; other processes skip them. */
export async function takeDueFiles(db: DatabaseHandle, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key_prefix: string }>`
    update unclaimed_files set is_being_removed = true, due_at = now() + ${REMOVAL_LEASE}
    where key_prefix in (
      select key_prefix from unclaimed_files where due_at <= now()
      order by due_at limit ${limit} for update skip locked)
    returning key_prefix`.execute(db);
  return rows.map(({ key_prefix }) => key_prefix);
}

/** Prefixes that may still be written to are kept and become due once more. */
export async function forgetFiles(db: DatabaseHandle, keyPrefixes: readonly string[]): Promise<void> {
  await sql`
    with again as (
      update unclaimed_files set due_at = written_until, written_until = null, client_id = null
      where key_prefix = any(${keyPrefixes}) and written_until > now()
      returning key_prefix
    )
    delete from unclaimed_files
    where key_prefix = any(${keyPrefixes}) and key_prefix not in (select key_prefix from again)`.execute(db);
}
