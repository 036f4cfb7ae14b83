import { sql } from "kysely";
import type { EditRecord, WordsDocument } from "../../domain/words/words-record.ts";
import type { DatabaseHandle } from "../database.ts";

type EditRow = { revision: number; document: string | null; updated_at: Date };

const toEdit = ({ revision, document, updated_at }: EditRow): EditRecord => ({
  revision,
  updatedAt: updated_at,
  document: document === null ? null : (JSON.parse(document) as WordsDocument),
});

export async function findEdit(db: DatabaseHandle, targetId: string): Promise<EditRecord | undefined> {
  const row = await db
    .selectFrom("word_edits")
    .select(["revision", "document", "updated_at"])
    .where("target_id", "=", targetId)
    .executeTakeFirst();
  return row && toEdit(row);
}

/** Undefined if the words have another revision by now or the target is gone; a single statement, so that of two concurrent edits one wins. */
export async function saveEdit(
  db: DatabaseHandle,
  targetId: string,
  { revision, document }: { revision: number; document: WordsDocument | null },
): Promise<EditRecord | undefined> {
  const { rows } = await sql<EditRow>`
    insert into word_edits (target_id, revision, document)
    select id, 1, ${document && JSON.stringify(document)} from targets
    where id = ${targetId} and (${revision} = 0 or exists (select from word_edits where target_id = ${targetId}))
    for key share
    on conflict (target_id) do update
      set revision = word_edits.revision + 1, document = excluded.document, updated_at = excluded.updated_at
      where word_edits.revision = ${revision}
    returning revision, document, updated_at`.execute(db);
  return rows[0] && toEdit(rows[0]);
}
