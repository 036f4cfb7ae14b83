import type { ApiErrorBody, ApiErrorCode, ApiErrorDetail } from "@stemwright/contract";
import { parseRetryAfterMs } from "./http/retry-delay.ts";

/** What every error of this package is. */
export class StemwrightError extends Error {
  override readonly name: string = "StemwrightError";
}

/** No answer came: the network failed, the connection broke or the name could not be resolved. `cause` has the reason. */
export class ConnectionError extends StemwrightError {
  override readonly name: string = "ConnectionError";
}

/** No answer came within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** A webhook call whose signature does not hold, or that is too old. */
export class WebhookSignatureError extends StemwrightError {
  override readonly name = "WebhookSignatureError";
}

/** Codes of this version of the service; a newer one may have more. */
export type ErrorCode = ApiErrorCode | (string & {});

type ApiErrorFields = {
  status: number;
  /** Absent where something in front of the service answered, a proxy say. */
  code: ErrorCode | undefined;
  details: readonly ApiErrorDetail[];
  requestId: string | undefined;
  retryAfterMs: number | undefined;
};

/**
 * The service refused a request, or failed at it.
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
  /** The fields at fault, where it is fields. */
  readonly details: readonly ApiErrorDetail[];
  /** Names the request in the service's log. */
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

/** 400, 413, 415 and every other 4xx without a class of its own: the request is mistaken. */
export class BadRequestError extends ApiError {
  override readonly name = "BadRequestError";
}
/** 401: no key, or one that is unknown or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError";
}
/** 402: the account's credits do not cover the Task. */
export class CreditsError extends ApiError {
  override readonly name = "CreditsError";
}
/** 403: the model is not granted, the account is suspended, or the key may not do that. */
export class PermissionError extends ApiError {
  override readonly name = "PermissionError";
}
/** 404: unknown to this account. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}
/** 409: in conflict with what is there. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}
/** 429: too many requests; `retryAfterMs` says when to go on. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError";
}
/** 5xx: the service failed, or is not to be reached for now. */
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

/** The error of a status, with what the body tells. */
export function makeApiError(
  status: number,
  body: Partial<ApiErrorBody> = {},
  headers: Headers = new Headers(),
): ApiError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : BadRequestError);
  const requestId = body.requestId ?? headers.get("x-request-id") ?? undefined;
  return new Class(body.message ?? `The service answered with status ${status}`, {
    status,
    code: body.code,
    details: body.details ?? [],
    requestId,
    retryAfterMs: parseRetryAfterMs(headers.get("retry-after")),
  });
}

/** The error of an answer that is not ok. Whatever is no error of ours, a proxy's page say, is told by its status. */
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
