import type pg from "pg";

/** A machine that vanished is noticed after 25 s, not after hours; without effect on a unix socket. */
const KEEPALIVES = `
  set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;

export type TaskLock = { signal: AbortSignal; release(): Promise<void> };

/**
 * Holds a Task for this process: a lock of the database session, which ends with the process however it ends,
 * and with its machine.
 * The queue's heartbeat decides who should work on a Task; this decides that never two do, also when a worker that was
 * taken for dead was only slow. Undefined when another process holds it.
 */
export async function findTaskLock(pool: pg.Pool, taskId: string): Promise<TaskLock | undefined> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onError = () => lost.abort(new Error("the database connection that holds the Task was lost"));
  client.on("error", onError);
  const giveBack = (isBroken: boolean) => {
    client.off("error", onError);
    client.release(isBroken);
  };
  try {
    const { rows } = await client.query<{ held: boolean }>(
      `select ${KEEPALIVES}, pg_try_advisory_lock(hashtextextended($1, 0)) as held`,
      [taskId],
    );
    if (!rows[0]?.held) {
      giveBack(false);
      return undefined;
    }
  } catch (error) {
    giveBack(true);
    throw error;
  }
  return {
    signal: lost.signal,
    async release() {
      const isUnlocked = await client
        .query("select pg_advisory_unlock(hashtextextended($1, 0))", [taskId])
        .then(
          () => true,
          () => false,
        );
      giveBack(!isUnlocked);
    },
  };
}
