import { StoreOutage } from "./domain/store-outage.ts";

/** SQLSTATE: connection exceptions, too many connections, and a server that stops, has crashed or is still starting. */
const SQL_STATE = /^(08...|53300|57P0[123])$/;
const CONNECTION_CODES = [
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
];
/** pg says these in words alone. */
const LOST_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/;

/** Whether an error is of a connection that can't be made or broke. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  // A unix socket goes with its server.
  return CONNECTION_CODES.includes(code) || (code === "ENOENT" && syscall === "connect");
}

/** Whether the database, or another server that ours stands on, can't be reached just now. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", message } = error as NodeJS.ErrnoException;
  return (
    error instanceof StoreOutage ||
    isConnectionError(error) ||
    SQL_STATE.test(code) ||
    LOST_CONNECTION.test(message)
  );
}
