import { StoreOutage } from "../domain/storage/store-outage.ts";

/**
 * SQLSTATE: connection exceptions, sessions and statements that the server terminated or has no resources for, and a server that stops, has crashed or is
 * starting, or takes no writes: a standby, or a primary that was fenced (25006). Also a cached plan invalidated by a newer release's migration (0A000).
 */
const SQL_STATE = /^(08...|53[234]..|57014|57P0[1235]|25P0[34]|25006|0A000)$/;
const CONNECTION_CODES = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ERR_STREAM_DESTROYED"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
];
/** pg has no codes for these. */
const LOST_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|timeout exceeded|Cannot use a pool after)/;

/** Whether an error means that a connection could not be made or broke. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  // A unix socket disappears with its server.
  return CONNECTION_CODES.includes(code) || (code === "ENOENT" && syscall === "connect");
}

/** Whether the database, or another server we depend on, is currently unreachable. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", message, name } = error as NodeJS.ErrnoException;
  return (
    error instanceof StoreOutage ||
    name === "EmbeddedPostgresError" ||
    isConnectionError(error) ||
    SQL_STATE.test(code) ||
    LOST_CONNECTION.test(message)
  );
}
