import type { KeyKind, KeyRole } from "@stemwright/contract";
import { sql } from "kysely";
import type { Caller } from "../../domain/accounts/caller.ts";
import { hashKey } from "../../domain/accounts/key-secrets.ts";
import { makeId } from "../../domain/ids.ts";
import type { DatabaseHandle } from "../database.ts";

export async function insertKey(
  db: DatabaseHandle,
  key: { clientId: string; name: string; role: KeyRole; kind?: KeyKind; secret: string },
): Promise<string> {
  const id = makeId();
  await db
    .insertInto("api_keys")
    .values({
      id,
      client_id: key.clientId,
      kind: key.kind ?? "key",
      role: key.role,
      name: key.name,
      hash: hashKey(key.secret),
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return id;
}

export async function revokeKey(db: DatabaseHandle, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("api_keys")
    .set({ revoked_at: sql`now()` })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const SHOWN_COLUMNS = [
  "id",
  "client_id",
  "name",
  "role",
  "kind",
  "created_at",
  "last_used_at",
  "revoked_at",
] as const;

export async function listKeys(db: DatabaseHandle, clientId?: string) {
  const all = db.selectFrom("api_keys").select(SHOWN_COLUMNS).orderBy("created_at").orderBy("id");
  return await (clientId === undefined ? all : all.where("client_id", "=", clientId)).execute();
}

export async function findKey(db: DatabaseHandle, id: string) {
  return await db.selectFrom("api_keys").select(SHOWN_COLUMNS).where("id", "=", id).executeTakeFirst();
}

/** The caller behind a key; undefined if it is unknown or revoked. */
export async function findCaller(
  db: DatabaseHandle,
  secret: string,
): Promise<(Caller & { kind: KeyKind; isSuspended: boolean; lastUsedAt: Date | null }) | undefined> {
  const row = await db
    .selectFrom("api_keys")
    .innerJoin("clients", "clients.id", "api_keys.client_id")
    .select([
      "api_keys.id",
      "api_keys.client_id",
      "api_keys.role",
      "api_keys.kind",
      "api_keys.last_used_at",
      "clients.suspended_at",
    ])
    .where("api_keys.hash", "=", hashKey(secret))
    .where("api_keys.revoked_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    keyId: row.id,
    clientId: row.client_id,
    role: row.role,
    kind: row.kind,
    isSuspended: row.suspended_at !== null,
    lastUsedAt: row.last_used_at,
  };
}

/** Those of the keys that exist, are not revoked and belong to no suspended client. */
export async function listActiveKeys(
  db: DatabaseHandle,
  ids: readonly string[],
): Promise<Pick<Caller, "keyId" | "clientId" | "role">[]> {
  return await db
    .selectFrom("api_keys")
    .innerJoin("clients", "clients.id", "api_keys.client_id")
    .select(["api_keys.id as keyId", "api_keys.client_id as clientId", "api_keys.role"])
    .where("api_keys.id", "=", sql<string>`any(${ids})`)
    .where("api_keys.revoked_at", "is", null)
    .where("clients.suspended_at", "is", null)
    .execute();
}

/** Records a use, at most once a minute: a write for each request would cost more than it is worth. */
export async function touchKey(db: DatabaseHandle, id: string): Promise<void> {
  await sql`
    update api_keys set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db);
}
