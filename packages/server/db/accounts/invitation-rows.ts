import { sql, type Transaction } from "kysely";
import type { PeopleStore } from "../../domain/accounts/people-store.ts";
import type {
  InvitationRecord,
  PersonRecord,
  ReceivedInvitationRecord,
} from "../../domain/accounts/person-record.ts";
import { makeId } from "../../domain/ids.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { insertPerson } from "./person-rows.ts";

const SHOWN_COLUMNS = ["id", "client_id", "role", "email", "created_at", "expires_at"] as const;
type Row = Pick<Tables["invitations"], "id" | "client_id" | "role" | "email" | "expires_at"> & {
  created_at: Date;
};

const selectOpen = (db: DatabaseHandle) =>
  db.selectFrom("invitations").select(SHOWN_COLUMNS).where("expires_at", ">", sql<Date>`now()`);

const toInvitationRecord = (row: Row): InvitationRecord => ({
  id: row.id,
  clientId: row.client_id,
  role: row.role,
  email: row.email,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export async function insertInvitation(
  db: DatabaseHandle,
  { clientId, tokenHash, role, email, expiresAt }: Parameters<PeopleStore["insertInvitation"]>[0],
): Promise<InvitationRecord> {
  const row = await db
    .insertInto("invitations")
    .values({ id: makeId(), client_id: clientId, hash: tokenHash, role, email, expires_at: expiresAt })
    .returning(SHOWN_COLUMNS)
    .executeTakeFirstOrThrow();
  return toInvitationRecord(row);
}

export async function listInvitations(db: DatabaseHandle, clientId: string): Promise<InvitationRecord[]> {
  const rows = await selectOpen(db)
    .where("client_id", "=", clientId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toInvitationRecord);
}

export async function deleteInvitation(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<InvitationRecord | undefined> {
  const row = await db
    .deleteFrom("invitations")
    .where("client_id", "=", clientId)
    .where("id", "=", id)
    .returning(SHOWN_COLUMNS)
    .executeTakeFirst();
  return row && toInvitationRecord(row);
}

export async function findInvitation(
  db: DatabaseHandle,
  tokenHash: Buffer,
): Promise<ReceivedInvitationRecord | undefined> {
  const row = await db
    .selectFrom("invitations")
    .innerJoin("clients", "clients.id", "invitations.client_id")
    .select(["client_id", "clients.name", "role", "email", "expires_at"])
    .where("hash", "=", tokenHash)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return (
    row && {
      clientId: row.client_id,
      clientName: row.name,
      role: row.role,
      email: row.email,
      expiresAt: row.expires_at,
    }
  );
}

/** Locks the invitation first: of two concurrent acceptances, the second finds it gone. */
export async function acceptInvitation(
  db: Transaction<Tables>,
  ...[tokenHash, person]: Parameters<PeopleStore["acceptInvitation"]>
): Promise<PersonRecord | "unknown" | "taken"> {
  const invitation = await selectOpen(db).where("hash", "=", tokenHash).forUpdate().executeTakeFirst();
  if (!invitation) return "unknown";
  const { client_id: clientId, role } = invitation;
  const accepted = await insertPerson(db, { ...person, clientId, role });
  if (!accepted) return "taken";
  await db.deleteFrom("invitations").where("id", "=", invitation.id).execute();
  return accepted;
}
