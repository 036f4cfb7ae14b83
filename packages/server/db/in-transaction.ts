import type { Transaction } from "kysely";
import type { DatabaseHandle, Tables } from "./database.ts";

/** Does the work in the transaction that the handle is of, else in one of its own. */
export async function inTransaction<Result>(
  db: DatabaseHandle,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? await work(db as Transaction<Tables>) : await db.transaction().execute(work);
}
