import type { DatabaseHandle, Tables } from "./database.ts";

/** The exact number of a client's rows, in the handle's snapshot; triggers maintain the counts. */
export async function countRows(
  db: DatabaseHandle,
  { clientId, noun }: { clientId: string; noun: Tables["row_counts"]["noun"] },
): Promise<number> {
  const { total } = await db
    .selectFrom("row_counts")
    .select((eb) => eb.fn.sum<number | null>("total").as("total"))
    .where("client_id", "=", clientId)
    .where("noun", "=", noun)
    .executeTakeFirstOrThrow();
  return total ?? 0;
}
