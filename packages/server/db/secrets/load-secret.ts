import { randomBytes } from "node:crypto";
import type { DatabaseHandle } from "../database.ts";

/** A secret of the installation, created at its first use; every process gets the same one. */
export async function loadSecret(
  db: DatabaseHandle,
  name: string,
  make: () => Promise<Buffer> = async () => randomBytes(32),
): Promise<Buffer> {
  await db
    .insertInto("installation_secrets")
    .values({ name, value: await make() })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const row = await db
    .selectFrom("installation_secrets")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return row.value;
}
