import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database, Tables } from "../database.ts";
import { PooledClient, PreparingClient } from "./preparing-client.ts";

/** pg returns int8 and numeric as text; all of ours fit a JavaScript number. */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

export const TYPE_PARSERS = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8_OID || oid === NUMERIC_OID
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Options of every connection. */
export const CONNECTION_OPTIONS = {
  // For a server that accepts the connection and never answers; also the limit for waiting for a free connection.
  connectionTimeoutMillis: 10_000,
  // A worker must notice that it lost the database and with it its locks; a listener that it gets no notifications.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** How much longer we wait for an answer than the server may take for a statement: normally the server gives up first. */
const ANSWER_MARGIN_MS = 5000;

export function openDatabase(options: {
  connectionString: string;
  maxConnections: number;
  connectTimeoutMs?: number;
  /** Limit for a statement, including waiting for locks; none by default. */
  statementTimeoutMs?: number;
  /** Behind a pooler in transaction mode: no session state may be left behind. */
  isPooled?: boolean;
}): {
  db: Database;
  pool: pg.Pool;
} {
  const { connectTimeoutMs = CONNECTION_OPTIONS.connectionTimeoutMillis, statementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.maxConnections,
    Client: options.isPooled ? PooledClient : PreparingClient,
    application_name: "stemwright",
    // Longer than the heartbeat interval of an idle worker: otherwise each heartbeat would open a connection.
    idleTimeoutMillis: 30_000,
    ...CONNECTION_OPTIONS,
    connectionTimeoutMillis: connectTimeoutMs,
    ...(statementTimeoutMs === undefined ? {} : limitStatements(statementTimeoutMs, options.isPooled)),
    types: TYPE_PARSERS,
  });
  // A broken idle connection is replaced at its next use; without a listener the event would crash the process.
  pool.on("error", () => {});
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), pool };
}

/** Sets them by a statement, not when connecting: pgbouncer refuses connections with such parameters. Compiling a plan takes longer than any of ours. */
function limitStatements(limitMs: number, isPooled = false): pg.PoolConfig {
  return {
    query_timeout: limitMs + ANSWER_MARGIN_MS,
    ...(isPooled
      ? {}
      : { onConnect: (client) => client.query(`set statement_timeout = ${limitMs}; set jit = off`) }),
  };
}
