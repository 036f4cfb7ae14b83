import { sql } from "kysely";
import type { PeopleStore } from "../../domain/accounts/people-store.ts";
import type { PersonRecord } from "../../domain/accounts/person-record.ts";
import { bindQueries } from "../bind-queries.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import {
  acceptInvitation,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  listInvitations,
} from "./invitation-rows.ts";
import {
  bindIdentity,
  changeRole,
  changeSelf,
  deletePerson,
  findPerson,
  hasPeople,
  holdOwners,
  insertPerson,
  listPeople,
} from "./person-rows.ts";
import { deleteSession, deleteSessions, findSession, insertSession, listSessions } from "./session-rows.ts";
import { countAttempts, forgiveAttempts } from "./sign-in-allowance-rows.ts";

const UNIQUE_VIOLATION = "23505";

/** Undefined for a person outside the account; "last-owner" for its only owner. */
async function findReplaceable(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<PersonRecord | "last-owner" | undefined> {
  const owners = await holdOwners(db, clientId);
  const person = await findPerson(db, { id });
  if (person?.clientId !== clientId) return undefined;
  return owners.length === 1 && owners[0] === id ? "last-owner" : person;
}

export function makePeopleStore(db: DatabaseHandle): PeopleStore {
  return {
    ...bindQueries(db, {
      ...{ hasPeople, findPerson, listPeople, insertPerson, bindIdentity },
      ...{ insertSession, findSession, listSessions, deleteSession },
      ...{ insertInvitation, listInvitations, deleteInvitation, findInvitation },
      ...{ countAttempts, forgiveAttempts },
    }),
    setRole: (clientId, id, role) =>
      inTransaction(db, async (transaction) => {
        const found = await findReplaceable(transaction, clientId, id);
        if (found === undefined || (found === "last-owner" && role !== "owner")) return found;
        await changeRole(transaction, id, role);
        return await findPerson(transaction, { id });
      }),
    removePerson: (clientId, id) =>
      inTransaction(db, async (transaction) => {
        const found = await findReplaceable(transaction, clientId, id);
        if (found !== undefined && found !== "last-owner") await deletePerson(transaction, id);
        return found;
      }),

    async changeSelf(known, changes) {
      try {
        return await inTransaction(db, async (transaction) => {
          const changed = await changeSelf(transaction, known, changes);
          if (changed === "changed" && changes.passwordHash !== undefined)
            await deleteSessions(transaction, known.person.id);
          return changed;
        });
      } catch (error) {
        // Caught out here, because the transaction is broken.
        if ((error as { code?: string }).code === UNIQUE_VIOLATION) return "taken";
        throw error;
      }
    },

    async insertSignInLink({ personId, tokenHash, expiresAt }) {
      await db
        .insertInto("sign_in_links")
        .values({ hash: tokenHash, person_id: personId, expires_at: expiresAt })
        .execute();
    },
    async findSignInLink(tokenHash) {
      const link = await db
        .selectFrom("sign_in_links")
        .select("person_id")
        .where("hash", "=", tokenHash)
        .where("expires_at", ">", sql<Date>`now()`)
        .executeTakeFirst();
      return link?.person_id;
    },

    acceptInvitation: (tokenHash, person) =>
      inTransaction(db, (transaction) => acceptInvitation(transaction, tokenHash, person)),
  };
}
