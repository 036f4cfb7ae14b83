import { type RawBuilder, sql } from "kysely";
import { isCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { Database, DatabaseHandle } from "../database.ts";

/** The row that each folder of our store belongs to. */
const OWNERS: Record<string, RawBuilder<unknown>> = {
  assets: sql`exists (select from assets where id = given.id) or exists (select from uploads where id = given.id)`,
  outputs: sql`exists (select from tasks where id = given.id)`,
  checkpoints: sql`exists (select from tasks where checkpoint_key = given.folder)`,
  uploads: sql`exists (select from uploads where id = given.id)`,
};

export const isOwnFolder = (folder: string) => (folder.split("/")[0] ?? "") in OWNERS;

/** Those of these folders, such as `assets/<id>`, that neither a row nor a sweep to come knows. */
export async function listOwnerless(db: DatabaseHandle, folders: readonly string[]): Promise<string[]> {
  const parts = Object.entries(OWNERS).map(([kind, isOwned]) => sql`(kind = ${kind} and (${isOwned}))`);
  const { rows } = await sql<{ folder: string }>`
    select folder from (
      select folder, split_part(folder, '/', 1) as kind, split_part(folder, '/', 2) as id
      from unnest(${folders}::text[]) as folder) as given
    where not (${sql.join(parts, sql` or `)})
      and not exists (select from unclaimed_files where key_prefix = folder)
    order by folder`.execute(db);
  return rows.map(({ folder }) => folder);
}

/** Every stored file that a row refers to, and `outputs/<Task>/previews/<version>` where there are previews. By a cursor: no index has these keys. */
export async function* listOwnedFiles(db: Database, batchSize: number): AsyncIterable<string[]> {
  const transaction = await db.startTransaction().execute();
  try {
    await sql`
      declare owned_files no scroll cursor for
      select blob_key as key from assets
      union all select blob_key from outputs
      union all select 'outputs/' || task_id || '/previews/' || version from task_previews`.execute(
      transaction,
    );
    for (;;) {
      const { rows } = await sql<{ key: string }>`
        fetch forward ${sql.lit(batchSize)} from owned_files`.execute(transaction);
      if (rows.length === 0) return;
      yield rows.map(({ key }) => key).filter((key) => !isCustomerBlobKey(key));
    }
  } finally {
    await transaction.rollback().execute();
  }
}

/** Removes the rows of files that are gone. A Task that has no output left is as one whose outputs were removed at the end of their retention. */
export async function removeRowsOf(db: Database, keys: readonly string[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`delete from assets where blob_key = any(${keys})`.execute(transaction);
    await sql`
      delete from task_previews where 'outputs/' || task_id || '/previews/' || version = any(${keys})`.execute(
      transaction,
    );
    const { rows } = await sql<{ task_id: string }>`
      with gone as (delete from outputs where blob_key = any(${keys}) returning target_id)
      select distinct task_id from targets join gone on gone.target_id = targets.id`.execute(transaction);
    await sql`
      update tasks set outputs_removed_at = now()
      where id = any(${rows.map(({ task_id }) => task_id)}) and completed_at is not null and outputs_removed_at is null
        and not exists (select from targets join outputs on outputs.target_id = targets.id where targets.task_id = tasks.id)`.execute(
      transaction,
    );
  });
}
