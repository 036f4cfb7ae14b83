import type { Transaction } from "kysely";
import type { DatabaseHandle, Tables } from "./database.ts";

/** Runs the work in the handle's transaction if it has one, and otherwise in a new one. */
export async function inTransaction<Result>(
  db: DatabaseHandle,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? await work(db as Transaction<Tables>) : await db.transaction().execute(work);
}
