import pg from "pg";

/** Makes a database refuse writes, as an operator fences a primary, or accept them again. Open sessions end, so that it applies to all. */
export async function fenceDatabase(url: string, { isFenced }: { isFenced: boolean }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set default_transaction_read_only = off");
    const { rows } = await client.query<{ name: string }>("select quote_ident(current_database()) as name");
    await client.query(`alter database ${rows[0]?.name} set default_transaction_read_only = ${isFenced}`);
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  } finally {
    await client.end();
  }
}
