import { HostNotPublic } from "./address-guard.ts";
import { findReason } from "./find-reason.ts";

/** Temporary connection errors. An unknown host name (ENOTFOUND) is not one of them. */
const TRANSIENT_CODES = [
  ...["ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ESOCKETTIMEDOUT"],
  ...["EAI_AGAIN", "ENETDOWN", "ENETUNREACH", "EHOSTUNREACH"],
  ...["UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
  ...["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "ERR_STREAM_PREMATURE_CLOSE", "HPE_INVALID_EOF_STATE"],
];
const TRANSIENT_STATUSES = [408, 425, 429];

export const isTransientStatus = (statusCode: number) =>
  statusCode >= 500 || TRANSIENT_STATUSES.includes(statusCode);

/** Whether a connection failure is transient. */
export function isTransientFailure(error: unknown): boolean {
  const reason = findReason(error);
  if (reason instanceof HostNotPublic) return reason.isTransient;
  const { code, name } = reason as NodeJS.ErrnoException;
  return name === "TimeoutError" || (code !== undefined && TRANSIENT_CODES.includes(code));
}

/** Parses `Retry-After`: seconds, or a date. */
export function findRetryAfterMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
