import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database, Tables } from "../database.ts";
import { PooledClient, PreparingClient } from "./preparing-client.ts";

/** Whole numbers of eight bytes and decimals come over the wire as text; ours all fit a number. */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

export const TYPE_PARSERS = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8_OID || oid === NUMERIC_OID
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** How every connection of ours is held. */
export const CONNECTION_OPTIONS = {
  // A server that takes the connection and never answers; who waits for a free connection gives up as soon.
  connectionTimeoutMillis: 10_000,
  // A worker that the database can't reach any more is to know that its locks are gone, a listener that it hears nothing.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** How much longer we wait for the server's answer than the server may work on a statement: normally it is the one that gives up. */
const ANSWER_MARGIN_MS = 5000;

export function openDatabase(options: {
  connectionString: string;
  maxConnections: number;
  connectTimeoutMs?: number;
  /** How long a statement may take, waiting for locks included; any time where nothing is said. */
  statementTimeoutMs?: number;
  /** Through a pooler that lends a session for a transaction at most: nothing is left behind in one. */
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
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on("error", () => {});
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), pool };
}

/** The server's own limit is set by a statement, not when connecting: pgbouncer refuses connections that bring one. */
function limitStatements(limitMs: number, isPooled = false): pg.PoolConfig {
  return {
    query_timeout: limitMs + ANSWER_MARGIN_MS,
    ...(isPooled ? {} : { onConnect: (client) => client.query(`set statement_timeout = ${limitMs}`) }),
  };
}
