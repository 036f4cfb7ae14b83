import type { DatabaseHandle, Tables } from "./database.ts";

/** How many rows a client has, exactly, as of the handle's view; triggers keep the counts. */
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
