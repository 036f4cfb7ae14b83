import type pg from "pg";

const BATCH = 100_000;
const MODELS = ["vocals", "instrumental", "drums", "bass", "other"];

/**
 * Brings one client's finished Tasks to a number, spread over two years, each with a target and an output. What requests
 * made before goes first, so that each measurement begins with the same table.
 */
export async function fillTasks(pool: pg.Pool, clientId: string, wanted: number): Promise<void> {
  await pool.query("delete from tasks where completed_at is null");
  const { rows } = await pool.query<{ count: number }>("select count(*) from tasks");
  for (let made = Number(rows[0]?.count); made < wanted; made += BATCH)
    await addTasks(pool, { clientId, first: made + 1, last: Math.min(made + BATCH, wanted) });
  await pool.query("delete from usage_by_month");
  await pool.query(`
    insert into usage_by_month
    select tasks.client_id, date_trunc('month', targets.finished_at at time zone 'UTC')::date, targets.model,
           count(*), sum(targets.duration_seconds), sum(targets.cost)
    from targets join tasks on tasks.id = targets.task_id where targets.status = 'completed' group by 1, 2, 3`);
  await pool.query("vacuum analyze");
}

async function addTasks(
  pool: pg.Pool,
  range: { clientId: string; first: number; last: number },
): Promise<void> {
  const series = "generate_series($1::int, $2::int) as n";
  // Ids that are as scattered as real ones.
  const id = (kind: string) => `left(md5('${kind}' || n), 26)`;
  const ended = "date_trunc('milliseconds', now() - interval '1 day' - n % 1000000 * interval '63 seconds')";
  const { first, last, clientId } = range;
  await pool.query(
    `insert into tasks (id, client_id, url, created_at, completed_at)
     select ${id("task")}, $3, 'https://media.example/' || n || '.wav', ${ended} - interval '1 minute', ${ended} from ${series}`,
    [first, last, clientId],
  );
  await pool.query(
    `insert into targets (id, task_id, position, model, formats, wishes, credits_per_minute, status, progress, cost, duration_seconds, finished_at)
     select ${id("target")}, ${id("task")}, 0, ($3::text[])[1 + n % ${MODELS.length}], '{wav}', '{}', 1, 'completed', 1, 4, 200.5, ${ended} from ${series}`,
    [first, last, MODELS],
  );
  await pool.query(
    `insert into outputs
     select ${id("target")}, 0, 'vocals', 'wav', 'outputs/' || ${id("task")} || '/' || ${id("target")} || '/vocals.wav', 1000 from ${series}`,
    [first, last],
  );
}
