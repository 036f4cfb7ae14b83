import type pg from "pg";

const BATCH = 500_000;
const MODELS = ["vocals", "instrumental", "drums", "bass", "other"];
const TABLES = ["tasks", "targets", "outputs"];

/**
 * Brings one client's finished Tasks to a given number, spread over two years, each with a target and an output. Deletes what earlier requests created, so
 * that each measurement starts with the same table.
 */
export async function fillTasks(pool: pg.Pool, clientId: string, wanted: number): Promise<void> {
  await pool.query("delete from tasks where completed_at is null");
  const { rows } = await pool.query<{ count: number }>("select count(*) from tasks");
  const present = Number(rows[0]?.count);
  if (present < wanted) {
    const restore = await dropIndexes(pool);
    for (let made = present; made < wanted; made += BATCH)
      await addTasks(pool, { clientId, first: made + 1, last: Math.min(made + BATCH, wanted) });
    await restore();
  }
  await countAnew(pool);
  await pool.query("vacuum analyze");
}

/** Maintaining indexes row by row takes ten times as long as the rows: they are dropped and rebuilt once. */
async function dropIndexes(pool: pg.Pool): Promise<() => Promise<void>> {
  const listed = `'{${TABLES.join(",")}}'`;
  const constraints = (kinds: string, which: string) => `
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = any('{${kinds}}') and connamespace = 'public'::regnamespace and ${which}`;
  const steps = [
    constraints(
      "f",
      `(conrelid::regclass::text = any(${listed}) or confrelid::regclass::text = any(${listed}))`,
    ),
    constraints("p,u", `conrelid::regclass::text = any(${listed})`),
    `select format('drop index %I', indexname) as drop, indexdef as add from pg_indexes where tablename = any(${listed}) and schemaname = 'public'`,
    `select format('alter table %s disable trigger user', name) as drop, format('alter table %s enable trigger user', name) as add from unnest(${listed}::text[]) as name`,
  ];
  const again: string[] = [];
  for (const step of steps) {
    const { rows } = await pool.query<{ drop: string; add: string }>(step);
    for (const { drop } of rows) await pool.query(drop);
    again.unshift(...rows.map(({ add }) => add));
  }
  return async () => {
    for (const statement of again) await pool.query(statement);
  };
}

async function addTasks(
  pool: pg.Pool,
  range: { clientId: string; first: number; last: number },
): Promise<void> {
  const series = "generate_series($1::int, $2::int) as n";
  // As scattered as real ids.
  const id = (kind: string) => `left(md5('${kind}' || n), 26)`;
  const ended = "date_trunc('milliseconds', now() - interval '1 day' - n % 1000000 * interval '63 seconds')";
  const { first, last, clientId } = range;
  await pool.query(
    `insert into tasks (id, client_id, url, created_at, completed_at)
     select ${id("task")}, $3, 'https://media.example/' || n || '.wav', ${ended} - interval '1 minute', ${ended} from ${series}`,
    [first, last, clientId],
  );
  await pool.query(
    `insert into targets (id, task_id, position, model, formats, options, credits_per_minute, status, progress, cost, duration_seconds, finished_at)
     select ${id("target")}, ${id("task")}, 0, ($3::text[])[1 + n % ${MODELS.length}], '{wav}', '{}', 1, 'completed', 1, 4, 200.5, ${ended} from ${series}`,
    [first, last, MODELS],
  );
  await pool.query(
    `insert into outputs (target_id, position, name, format, blob_key, size_bytes, client_id)
     select ${id("target")}, 0, 'vocals', 'wav', 'outputs/' || ${id("task")} || '/' || ${id("target")} || '/vocals.wav', 1000, $3 from ${series}`,
    [first, last, clientId],
  );
}

/** Sets the totals that triggers and target ends would have maintained. */
async function countAnew(pool: pg.Pool): Promise<void> {
  await pool.query("delete from row_counts where noun = 'tasks'");
  await pool.query(
    "insert into row_counts select client_id, 'tasks', 0, count(*) from tasks group by client_id",
  );
  await pool.query("delete from storage_totals where noun = 'outputs'");
  await pool.query(
    "insert into storage_totals select client_id, 'outputs', 0, sum(size_bytes) from outputs where client_id is not null group by client_id",
  );
  await pool.query("delete from usage_by_month");
  await pool.query(`
    insert into usage_by_month
    select tasks.client_id, date_trunc('month', targets.finished_at at time zone 'UTC')::date, targets.model,
           count(*), sum(targets.duration_seconds), sum(targets.cost)
    from targets join tasks on tasks.id = targets.task_id where targets.status = 'completed' group by 1, 2, 3`);
}
