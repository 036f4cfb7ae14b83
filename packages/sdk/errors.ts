import type { ApiErrorBody, ApiErrorCode, ApiErrorDetail } from "@stemwright/contract";
import { parseRetryAfterMs } from "./http/retry-delay.ts";

/** Base class of every error this package throws. */
export class StemwrightError extends Error {
  override readonly name: string = "StemwrightError";
}

/** No response: the network failed, the connection dropped or the hostname could not be resolved. See `cause`. */
export class ConnectionError extends StemwrightError {
  override readonly name: string = "ConnectionError";
}

/** No response within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** A webhook with an invalid signature or a stale timestamp. */
export class WebhookSignatureError extends StemwrightError {
  override readonly name = "WebhookSignatureError";
}

/** The codes of this version; a newer service may send others. */
export type ErrorCode = ApiErrorCode | (string & {});

type ApiErrorFields = {
  status: number;
  /** Undefined if the response came from a proxy in front of the service. */
  code: ErrorCode | undefined;
  details: readonly ApiErrorDetail[];
  requestId: string | undefined;
  retryAfterMs: number | undefined;
};

/**
 * An error response from the service.
 *
 * @example
 * try {
 *   await client.tasks.create({ assetId, targets });
 * } catch (error) {
 *   if (error instanceof ApiError && error.code === "CREDITS_INSUFFICIENT") await buyCredits();
 *   else throw error;
 * }
 */
export class ApiError extends StemwrightError {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** The invalid fields, if any. */
  readonly details: readonly ApiErrorDetail[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, fields: ApiErrorFields) {
    super(message);
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** 400, 413, 415 and every other 4xx without its own class. */
export class BadRequestError extends ApiError {
  override readonly name = "BadRequestError";
}
/** 401: the key is missing, unknown or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError";
}
/** 402: the account's credits do not cover the Task. */
export class CreditsError extends ApiError {
  override readonly name = "CreditsError";
}
/** 403: model not granted, account suspended, or insufficient role. */
export class PermissionError extends ApiError {
  override readonly name = "PermissionError";
}
/** 404: no such resource in this account. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}
/** 409: conflicts with the current state. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}
/** 429: rate limited; see `retryAfterMs`. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError";
}
/** 5xx: the service failed or is temporarily unavailable. */
export class ServerError extends ApiError {
  override readonly name = "ServerError";
}

const CLASSES: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  402: CreditsError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** Builds the error for a status and an error body. */
export function makeApiError(
  status: number,
  body: Partial<ApiErrorBody> = {},
  headers: Headers = new Headers(),
): ApiError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : BadRequestError);
  const requestId = body.requestId ?? headers.get("x-request-id") ?? undefined;
  return new Class(body.message ?? `Request failed with status ${status}`, {
    status,
    code: body.code,
    details: body.details ?? [],
    requestId,
    retryAfterMs: parseRetryAfterMs(headers.get("retry-after")),
  });
}

/** Reads an error response. Bodies that are not ours, such as a proxy's HTML page, are reported by status only. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  let body: Partial<ApiErrorBody> | null = null;
  try {
    body = JSON.parse(text) as Partial<ApiErrorBody> | null;
  } catch {
    // Not JSON.
  }
  const isOurs = typeof body?.message === "string" && typeof body.code === "string";
  return makeApiError(response.status, isOurs && body ? body : {}, response.headers);
}
