import type { TaskListQuery } from "@stemwright/contract";
import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";
import { MAX_FILTERED } from "../list-page.ts";

export const isFiltered = ({ skip: _skip, take: _take, ...filters }: TaskListQuery) =>
  Object.values(filters).some((filter) => filter !== undefined && filter !== "");

/** Metadata is stored as JSON text; the search term is escaped the same way. */
const toJsonText = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * Whether the input is another Task's output with the text in its file name. Such an asset's id names its row (`toOutputAssetId`), so each Task takes one
 * look-up by primary key, and Tasks of uploads none.
 */
const isOutputNamed = (search: string) => sql`
  case when newest.asset_id ~ '^[0-9a-z]+-[0-9]{1,3}$' then exists (
    select from outputs
    where outputs.target_id = split_part(newest.asset_id, '-', 1)
      and outputs.position = split_part(newest.asset_id, '-', 2)::smallint
      and position(lower(${search}) in lower(outputs.name || '.' || outputs.format)) > 0
  ) else false end`;

/** The ids of one page of matching Tasks, newest first, and the total number of matches. */
export async function findMatchingTasks(
  db: DatabaseHandle,
  clientId: string,
  { skip, take, status, model, search = "", createdAfter, createdBefore }: TaskListQuery,
): Promise<{ ids: string[]; total: number }> {
  const isWithError = sql`exists (select from targets where targets.task_id = newest.id and targets.status = 'error')`;
  const states = {
    processing: sql`newest.completed_at is null`,
    completed: sql`newest.completed_at is not null and not ${isWithError}`,
    error: sql`newest.completed_at is not null and ${isWithError}`,
  };
  const conditions = [
    status && states[status],
    model !== undefined &&
      sql`exists (select from targets where targets.task_id = newest.id and targets.model = ${model})`,
    search !== "" &&
      sql`(position(lower(${search}) in newest.id) > 0
        or position(lower(${search}) in lower(newest.url)) > 0
        or position(lower(${toJsonText(search)}) in lower(newest.metadata)) > 0
        or position(lower(${search}) in lower(assets.name)) > 0
        or ${isOutputNamed(search)})`,
  ].filter((condition) => condition !== undefined && condition !== false);
  // Before the limit, and from the index, so that old Tasks are found by their date.
  const dates = [
    createdAfter !== undefined && sql`and created_at >= ${new Date(createdAfter)}`,
    createdBefore !== undefined && sql`and created_at < ${new Date(createdBefore)}`,
  ].filter((date) => date !== false);
  const { rows } = await sql<{ id: string }>`
    select newest.id
    from (
      select id, created_at, completed_at, url, metadata, asset_id from tasks
      where client_id = ${clientId} ${sql.join(dates, sql` `)} order by created_at desc, id desc limit ${MAX_FILTERED}
    ) newest
    left join assets on assets.id = newest.asset_id
    where ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by newest.created_at desc, newest.id desc`.execute(db);
  return { ids: rows.slice(skip, skip + take).map(({ id }) => id), total: rows.length };
}
