import { sql } from "kysely";
import type { PeopleStore } from "../../domain/accounts/people-store.ts";
import type { PersonRecord } from "../../domain/accounts/person-record.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import * as invitations from "./invitation-rows.ts";
import * as people from "./person-rows.ts";
import * as sessions from "./session-rows.ts";
import { countAttempt, forgiveAttempts } from "./sign-in-attempt-rows.ts";

/** Undefined for who is not of the account; "last-owner" for its only one. */
async function findReplaceable(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<PersonRecord | "last-owner" | undefined> {
  const owners = await people.holdOwners(db, clientId);
  const person = await people.findPerson(db, { id });
  if (person?.clientId !== clientId) return undefined;
  return owners.length === 1 && owners[0] === id ? "last-owner" : person;
}

export function makePeopleStore(db: DatabaseHandle): PeopleStore {
  return {
    hasPeople: () => people.hasPeople(db),
    findPerson: (by) => people.findPerson(db, by),
    listPeople: (clientId) => people.listPeople(db, clientId),
    insertPerson: (person) => people.insertPerson(db, person),
    changePerson: (id, changes) => people.changePerson(db, id, changes),
    setRole: (clientId, id, role) =>
      inTransaction(db, async (transaction) => {
        const found = await findReplaceable(transaction, clientId, id);
        if (found === undefined || (found === "last-owner" && role !== "owner")) return found;
        await people.changePerson(transaction, id, { role });
        return await people.findPerson(transaction, { id });
      }),
    removePerson: (clientId, id) =>
      inTransaction(db, async (transaction) => {
        const found = await findReplaceable(transaction, clientId, id);
        if (found !== undefined && found !== "last-owner") await people.deletePerson(transaction, id);
        return found;
      }),
    bindIdentity: (id, identity) => people.bindIdentity(db, id, identity),

    insertSession: (session) => sessions.insertSession(db, session),
    findSession: (personId, id) => sessions.findSession(db, personId, id),
    listSessions: (personId) => sessions.listSessions(db, personId),
    deleteSession: (personId, id) => sessions.deleteSession(db, personId, id),
    async deleteAllSessions(personId) {
      await sessions.deleteSessions(db, personId);
      await db.deleteFrom("sign_in_links").where("person_id", "=", personId).execute();
    },

    async insertSignInLink({ personId, tokenHash, expiresAt }) {
      await db
        .insertInto("sign_in_links")
        .values({ hash: tokenHash, person_id: personId, expires_at: expiresAt })
        .execute();
    },
    async takeSignInLink(tokenHash) {
      const taken = await db
        .deleteFrom("sign_in_links")
        .where("hash", "=", tokenHash)
        .where("expires_at", ">", sql<Date>`now()`)
        .returning("person_id")
        .executeTakeFirst();
      return taken?.person_id;
    },

    insertInvitation: (invitation) => invitations.insertInvitation(db, invitation),
    listInvitations: (clientId) => invitations.listInvitations(db, clientId),
    deleteInvitation: (clientId, id) => invitations.deleteInvitation(db, clientId, id),
    hasInvitation: (tokenHash) => invitations.hasInvitation(db, tokenHash),
    acceptInvitation: (by, person) =>
      inTransaction(db, (transaction) => invitations.acceptInvitation(transaction, by, person)),

    countAttempt: (subject, windowSeconds) => countAttempt(db, subject, windowSeconds),
    forgiveAttempts: (subject, count) => forgiveAttempts(db, subject, count),
  };
}
