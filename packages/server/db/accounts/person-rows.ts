import type { PersonRole } from "@stemwright/contract";
import { sql } from "kysely";
import type { NewPerson, PeopleStore } from "../../domain/accounts/people-store.ts";
import type { PersonRecord } from "../../domain/accounts/person-record.ts";
import { makeId } from "../../domain/ids.ts";
import type { DatabaseHandle } from "../database.ts";

const selectPeople = (db: DatabaseHandle) =>
  db
    .selectFrom("people")
    .innerJoin("clients", "clients.id", "people.client_id")
    .select(["people.id", "people.client_id", "people.role", "people.email", "people.name"])
    .select([
      "people.password_hash",
      "people.identity",
      "people.created_at",
      "clients.suspended_at",
      "clients.is_administrative",
    ])
    .select(["clients.name as client_name"])
    .select((eb) =>
      eb
        .selectFrom("person_sessions")
        .select((inner) => inner.fn.max("last_used_at").as("last_seen_at"))
        .whereRef("person_sessions.person_id", "=", "people.id")
        .as("last_seen_at"),
    );
type Row = Awaited<ReturnType<ReturnType<typeof selectPeople>["executeTakeFirstOrThrow"]>>;

const toPersonRecord = (row: Row): PersonRecord => ({
  id: row.id,
  clientId: row.client_id,
  clientName: row.client_name,
  isClientAdministrative: row.is_administrative,
  isClientSuspended: row.suspended_at !== null,
  role: row.role,
  email: row.email,
  name: row.name,
  passwordHash: row.password_hash,
  hasIdentity: row.identity !== null,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
});

export async function hasPeople(db: DatabaseHandle): Promise<boolean> {
  const query = db.selectFrom("people").select("id").where("email", "is not", null).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function findPerson(
  db: DatabaseHandle,
  by: { id: string } | { email: string } | { identity: string },
): Promise<PersonRecord | undefined> {
  const people = selectPeople(db);
  const found =
    "id" in by
      ? people.where("people.id", "=", by.id)
      : "email" in by
        ? people.where("people.email", "=", by.email)
        : people.where("people.identity", "=", by.identity);
  const row = await found.executeTakeFirst();
  return row && toPersonRecord(row);
}

export async function listPeople(db: DatabaseHandle, clientId: string): Promise<PersonRecord[]> {
  const rows = await selectPeople(db)
    .where("people.client_id", "=", clientId)
    .orderBy("people.created_at")
    .orderBy("people.id")
    .execute();
  return rows.map(toPersonRecord);
}

/** The oldest owner, presumably the one who set the account up. */
export async function findFirstOwner(
  db: DatabaseHandle,
  clientId: string,
): Promise<PersonRecord | undefined> {
  return (await listPeople(db, clientId)).find(({ role }) => role === "owner");
}

/** Undefined if the email address or identity is taken. */
export async function insertPerson(
  db: DatabaseHandle,
  { clientId, role, email, name, passwordHash, identity }: NewPerson,
): Promise<PersonRecord | undefined> {
  const id = makeId();
  await db
    .insertInto("people")
    .values({
      id,
      client_id: clientId,
      role,
      email,
      name,
      password_hash: passwordHash ?? null,
      identity: identity ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await findPerson(db, { id });
}

export async function changeRole(db: DatabaseHandle, id: string, role: PersonRole): Promise<void> {
  await db.updateTable("people").set({ role }).where("id", "=", id).execute();
}

/**
 * The password is compared in the row that is changed: of two who knew it, the second has to know the new one. Fails if the email address is taken.
 */
export async function changeSelf(
  db: DatabaseHandle,
  ...[{ person, sessionId }, { name, email, passwordHash }]: Parameters<PeopleStore["changeSelf"]>
): Promise<"changed" | "ended"> {
  const values = {
    // An update needs a column.
    id: person.id,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
  };
  const { numUpdatedRows } = await db
    .updateTable("people")
    .set(values)
    .where("id", "=", person.id)
    .where("password_hash", "is not distinct from", person.passwordHash)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("person_sessions")
          .select("id")
          .where("id", "=", sessionId)
          .where("person_id", "=", person.id),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n ? "changed" : "ended";
}

/** Locks the owners of an account, so that of two concurrent changes the second sees the first. Returns their ids. */
export async function holdOwners(db: DatabaseHandle, clientId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from people where client_id = ${clientId} and role = 'owner' order by id for update`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export async function deletePerson(db: DatabaseHandle, id: string): Promise<void> {
  await db.deleteFrom("people").where("id", "=", id).execute();
}

export async function bindIdentity(db: DatabaseHandle, id: string, identity: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("people")
    .set({ identity })
    .where("id", "=", id)
    .where("identity", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
