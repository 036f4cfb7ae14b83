import type { KeyRole, PersonRole } from "@stemwright/contract";
import { sql } from "kysely";
import type { Caller } from "../../domain/accounts/caller.ts";
import { hashKey } from "../../domain/accounts/key-secrets.ts";
import type { NewSession } from "../../domain/accounts/people-store.ts";
import { isAdministrator, type SessionRecord } from "../../domain/accounts/person-record.ts";
import { SESSION_DAYS, SESSION_IDLE_DAYS } from "../../domain/accounts/session-lifetime.ts";
import { makeId } from "../../domain/ids.ts";
import type { DatabaseHandle } from "../database.ts";

const IS_GOOD = sql<boolean>`(
  person_sessions.last_used_at > now() - make_interval(days => ${sql.lit(SESSION_IDLE_DAYS)})
  and person_sessions.created_at > now() - make_interval(days => ${sql.lit(SESSION_DAYS)}))`;

const toKeyRole = (row: { role: PersonRole; is_administrative: boolean }): KeyRole =>
  isAdministrator({ role: row.role, isClientAdministrative: row.is_administrative }) ? "admin" : "client";

const selectSessions = (db: DatabaseHandle) =>
  db
    .selectFrom("person_sessions")
    .select(["id", "method", "address", "agent", "created_at", "last_used_at"])
    .where(IS_GOOD);
type Row = Awaited<ReturnType<ReturnType<typeof selectSessions>["executeTakeFirstOrThrow"]>>;

const toSessionRecord = (row: Row): SessionRecord => ({
  id: row.id,
  method: row.method,
  address: row.address,
  agent: row.agent,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

/**
 * One statement that locks the person first, as a change of password does: of the two, the second sees what the first has done. A session that was checked
 * against the old password is then not inserted, or deleted with all others.
 */
export async function insertSession(
  db: DatabaseHandle,
  { person, linkHash, tokenHash, method, address, agent }: NewSession,
): Promise<SessionRecord | undefined> {
  const { rows } = await sql<Row>`
    with person as (
        select id from people
        where id = ${person.id} and email is not distinct from ${person.email}
          and password_hash is not distinct from ${person.passwordHash}
        for share),
      used_link as (
        delete from sign_in_links using person
        where sign_in_links.hash = ${linkHash ?? null} and person_id = person.id and expires_at > now()
        returning 1)
    insert into person_sessions (id, person_id, hash, method, address, agent)
    select ${makeId()}, id, ${tokenHash}, ${method}, ${address}, ${agent} from person
    where ${linkHash ?? null}::bytea is null or exists (select from used_link)
    returning id, method, address, agent, created_at, last_used_at`.execute(db);
  const [row] = rows;
  return row && toSessionRecord(row);
}

export async function findSession(
  db: DatabaseHandle,
  personId: string,
  id: string,
): Promise<SessionRecord | undefined> {
  const row = await selectSessions(db)
    .where("person_id", "=", personId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toSessionRecord(row);
}

export async function listSessions(db: DatabaseHandle, personId: string): Promise<SessionRecord[]> {
  const rows = await selectSessions(db)
    .where("person_id", "=", personId)
    .orderBy("last_used_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map(toSessionRecord);
}

export async function deleteSession(
  db: DatabaseHandle,
  personId: string,
  id: string,
): Promise<SessionRecord | undefined> {
  const row = await db
    .deleteFrom("person_sessions")
    .where("person_id", "=", personId)
    .where("id", "=", id)
    .returning(["id", "method", "address", "agent", "created_at", "last_used_at"])
    .executeTakeFirst();
  return row && toSessionRecord(row);
}

/** Sessions and one-time links. */
export async function deleteSessions(db: DatabaseHandle, personId: string): Promise<void> {
  await db.deleteFrom("person_sessions").where("person_id", "=", personId).execute();
  await db.deleteFrom("sign_in_links").where("person_id", "=", personId).execute();
}

/** The caller behind a cookie; undefined if its session is unknown, revoked or expired. */
export async function findSessionCaller(
  db: DatabaseHandle,
  token: string,
): Promise<(Caller & { isSuspended: boolean; lastUsedAt: Date }) | undefined> {
  const row = await db
    .selectFrom("person_sessions")
    .innerJoin("people", "people.id", "person_sessions.person_id")
    .innerJoin("clients", "clients.id", "people.client_id")
    .select(["person_sessions.id", "person_sessions.last_used_at", "people.id as person_id"])
    .select(["people.client_id", "people.role", "clients.suspended_at", "clients.is_administrative"])
    .where("person_sessions.hash", "=", hashKey(token))
    .where(IS_GOOD)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id: sessionId, person_id: id, client_id: clientId, role } = row;
  return {
    keyId: sessionId,
    clientId,
    role: toKeyRole(row),
    person: { id, sessionId, clientId, role },
    isSuspended: row.suspended_at !== null,
    lastUsedAt: row.last_used_at,
  };
}

/** Those of the sessions that are valid and belong to no suspended client. */
export async function listActiveSessions(
  db: DatabaseHandle,
  ids: readonly string[],
): Promise<Pick<Caller, "keyId" | "clientId" | "role">[]> {
  const rows = await db
    .selectFrom("person_sessions")
    .innerJoin("people", "people.id", "person_sessions.person_id")
    .innerJoin("clients", "clients.id", "people.client_id")
    .select(["person_sessions.id", "people.client_id", "people.role", "clients.is_administrative"])
    .where("person_sessions.id", "=", sql<string>`any(${ids})`)
    .where("clients.suspended_at", "is", null)
    .where(IS_GOOD)
    .execute();
  return rows.map((row) => ({ keyId: row.id, clientId: row.client_id, role: toKeyRole(row) }));
}

/** Records a use, at most once a minute, like `touchKey`. */
export async function touchSession(db: DatabaseHandle, id: string): Promise<void> {
  await sql`
    update person_sessions set last_used_at = now()
    where id = ${id} and last_used_at < now() - interval '1 minute'`.execute(db);
}

/** Removes expired sessions, links, invitations, and attempts that no longer count. Returns how many. */
export async function deleteExpiredEntries(db: DatabaseHandle): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with sessions as (delete from person_sessions where not ${IS_GOOD} returning 1),
      links as (delete from sign_in_links where expires_at < now() returning 1),
      invited as (delete from invitations where expires_at < now() returning 1),
      attempts as (delete from sign_in_allowances where expires_at < now() returning 1)
    select (select count(*) from sessions) + (select count(*) from links)
      + (select count(*) from invited) + (select count(*) from attempts) as removed`.execute(db);
  return rows[0]?.removed ?? 0;
}
