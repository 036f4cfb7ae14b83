import type { ClientChange, PageQuery } from "@stemwright/contract";
import { sql } from "kysely";
import type { ClientRecord } from "../../domain/accounts/client-record.ts";
import type { Listed } from "../../domain/ports.ts";
import type { DatabaseHandle } from "../database.ts";
import { listPage } from "../list-page.ts";
import { selectStorageUse } from "../storage/make-storage-quota.ts";

const selectClients = (db: DatabaseHandle) =>
  db
    .selectFrom("clients")
    .leftJoin("credit_accounts", "credit_accounts.client_id", "clients.id")
    .select(["id", "name", "is_metered", "created_at", "suspended_at", "balance", "reserved"])
    .select(["weight", "running_max", "waiting_max", "storage_quota_bytes"])
    .select(selectStorageUse(sql.ref("clients.id")).as("storage"));
type Row = Awaited<ReturnType<ReturnType<typeof selectClients>["executeTakeFirstOrThrow"]>>;

const toClientRecord = (row: Row): ClientRecord => ({
  id: row.id,
  name: row.name,
  isMetered: row.is_metered,
  createdAt: row.created_at,
  suspendedAt: row.suspended_at,
  weight: row.weight,
  runningMax: row.running_max,
  waitingMax: row.waiting_max,
  storageQuotaBytes: row.storage_quota_bytes,
  storage: row.storage,
  balance: row.balance ?? 0,
  reserved: row.reserved ?? 0,
});

export async function insertClient(
  db: DatabaseHandle,
  client: { id: string; name: string; isMetered?: boolean; isAdministrative?: boolean },
): Promise<void> {
  await db
    .insertInto("clients")
    .values({
      id: client.id,
      name: client.name,
      is_metered: client.isMetered ?? false,
      is_administrative: client.isAdministrative ?? false,
    })
    .execute();
}

export async function hasClients(db: DatabaseHandle): Promise<boolean> {
  return (await db.selectFrom("clients").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export async function findFirstClientId(db: DatabaseHandle): Promise<string | undefined> {
  return (await db.selectFrom("clients").select("id").orderBy("created_at").limit(1).executeTakeFirst())?.id;
}

export async function findClient(db: DatabaseHandle, id: string): Promise<ClientRecord | undefined> {
  const row = await selectClients(db).where("id", "=", id).executeTakeFirst();
  return row && toClientRecord(row);
}

export async function listClients(db: DatabaseHandle, page: PageQuery): Promise<Listed<ClientRecord>> {
  const { total } = await db
    .selectFrom("clients")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return await listPage(total, page, async () => {
    const rows = await selectClients(db)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .offset(page.skip)
      .limit(page.take)
      .execute();
    return rows.map(toClientRecord);
  });
}

const toMax = (given: number | "default") => (given === "default" ? null : given);

export async function changeClient(db: DatabaseHandle, id: string, change: ClientChange): Promise<void> {
  const { name, metered, weight, runningMax, waitingMax, storageQuotaBytes } = change;
  const values = {
    ...(name === undefined ? {} : { name }),
    ...(metered === undefined ? {} : { is_metered: metered }),
    ...(weight === undefined ? {} : { weight }),
    ...(runningMax === undefined ? {} : { running_max: toMax(runningMax) }),
    ...(waitingMax === undefined ? {} : { waiting_max: toMax(waitingMax) }),
    ...(storageQuotaBytes === undefined ? {} : { storage_quota_bytes: toMax(storageQuotaBytes) }),
  };
  if (Object.keys(values).length === 0) return;
  await db.updateTable("clients").set(values).where("id", "=", id).execute();
}

/** A repeated suspension keeps the time of the first. */
export async function setSuspended(db: DatabaseHandle, id: string, isSuspended: boolean): Promise<void> {
  await db
    .updateTable("clients")
    .set({ suspended_at: isSuspended ? sql`coalesce(suspended_at, now())` : null })
    .where("id", "=", id)
    .execute();
}
