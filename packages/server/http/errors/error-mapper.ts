import { STATUS_CODES } from "node:http";
import { ApiError, type ApiErrorBody, type ApiErrorCode } from "@stemwright/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { SignInThrottled } from "../../domain/accounts/sign-in-throttle.ts";
import { Refusal } from "../../domain/refusal.ts";
import { StoreOutage } from "../../domain/storage/store-outage.ts";
import { isOutOfReach } from "../../faults/is-out-of-reach.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import { describeIssue } from "./describe-issue.ts";

/** Specific error codes, by field name and kind of zod issue. */
const CODE_OF_ISSUE: Record<string, ApiErrorCode> = {
  "targets/too_small": "TARGETS_TOO_FEW",
  "targets/too_big": "TARGETS_TOO_MANY",
  "formats/too_small": "FORMATS_EMPTY",
  "metadata/custom": "METADATA_TOO_LONG",
  "name/invalid_value": "STATISTICS_INVALID",
  "months/invalid_format": "STATISTICS_INVALID",
  "months/invalid_type": "STATISTICS_INVALID",
  "idempotency-key/invalid_format": "IDEMPOTENCY_KEY_INVALID",
};
declare module "fastify" {
  interface FastifyContextConfig {
    /** For routes of another service's interface, whose clients expect its error body. */
    toErrorBody?: (error: ApiError) => object;
    /** Headers these clients expect. */
    toErrorHeaders?: (error: ApiError) => Record<string, string>;
  }
}

const PAGE_FIELDS = ["skip", "take"];

/** Retry-After for temporary refusals; a rate limit sets its own. */
const RETRY_AFTER_SECONDS: Partial<Record<ApiErrorCode, number>> = {
  // Until a waiting Task is likely to have been claimed.
  TASKS_WAITING_TOO_MANY: 30,
  STREAMS_TOO_MANY: 5,
  UPLOADS_TOO_MANY: 10,
  QUEUE_SLOW: 30,
  REALIGNMENTS_TOO_MANY: 2,
};

/** Fastify's own errors, by code. */
const CODE_OF_REFUSAL: Record<string, { code: ApiErrorCode; message: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "CONTENT_TYPE_UNSUPPORTED",
    message: "Send the body as application/json (uploads as multipart/form-data)",
  },
  FST_INVALID_MULTIPART_CONTENT_TYPE: {
    code: "CONTENT_TYPE_UNSUPPORTED",
    message: "Send the file as multipart/form-data, in a part named file",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: "BODY_TOO_LARGE",
    message: "A JSON body may have at most 1 MiB (8 MiB for edited words)",
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: "BODY_NOT_JSON", message: "The body is empty; send a JSON object" },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "BODY_NOT_JSON", message: "The body is not valid JSON" },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "REQUEST_INVALID",
    message: "The body's size does not match Content-Length",
  },
  FST_PROTO_VIOLATION: {
    code: "REQUEST_INVALID",
    message:
      "A form part has a name that is not allowed, such as __proto__ or constructor; rename or leave it out",
  },
  FST_REQ_FILE_TOO_LARGE: { code: "UPLOAD_TOO_LARGE", message: "The file is over the upload limit" },
  FST_ERR_BAD_URL: { code: "NOT_FOUND", message: "No such route" },
  FST_ERR_MAX_PARAM_LENGTH: { code: "NOT_FOUND", message: "No such resource" },
};

function toPathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part),
    "",
  );
}

/** All issues of a request as one ApiError. */
export function toRequestError(issues: readonly z.core.$ZodIssue[]): ApiError {
  const details = issues.map((issue) => ({ path: toPathText(issue.path), message: describeIssue(issue) }));
  const [first] = issues;
  const field = String(first?.path.findLast((part) => typeof part === "string") ?? "");
  const code = PAGE_FIELDS.includes(field)
    ? "PAGE_INVALID"
    : (CODE_OF_ISSUE[`${field}/${first?.code}`] ?? "REQUEST_INVALID");
  const at = details[0]?.path;
  return new ApiError(code, at ? `${at} ${details[0]?.message}` : `The body ${details[0]?.message}`, details);
}

/** Whether the error is already worded for the client: an ApiError or a Refusal. */
export const isForClient = (error: unknown): error is ApiError | Refusal =>
  error instanceof ApiError || error instanceof Refusal;

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Refusal) return new ApiError(error.code, error.message, error.details);
  const { code, statusCode, message } = error as Partial<FastifyError>;
  const known = CODE_OF_REFUSAL[code ?? ""];
  if (known) return new ApiError(known.code, known.message);
  if (isOutOfSpace(error))
    return new ApiError("STORAGE_FULL", "The server's disk is full; the operator must free some space");
  if (error instanceof StoreOutage) return new ApiError("UNAVAILABLE", error.advice);
  if (isOutOfReach(error))
    return new ApiError("UNAVAILABLE", "Part of the service is unavailable; retry shortly");
  if (error instanceof SyntaxError && statusCode === 400)
    return new ApiError("BODY_NOT_JSON", `The body is not valid JSON: ${message}`);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError("REQUEST_INVALID", message ?? "The request is not valid");
  }
  return new ApiError(
    "INTERNAL",
    "Internal error. Retry; if it persists, send the requestId to the operator",
  );
}

export function toErrorBody(error: ApiError, requestId: string): ApiErrorBody {
  const { statusCode } = error;
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? "Error",
    code: error.code,
    message: error.message,
    details: error.details ?? [],
    requestId,
  };
}

/** The reason why a server can't be reached, if known. */
export function toRootError(error: unknown, findOutage: () => Error | undefined): unknown {
  return isOutOfReach(error) ? (findOutage() ?? error) : error;
}

/** The one place where a failure becomes a response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = toApiError(error);
  if (apiError.code === "OVERLOADED") request.log.warn({ url: request.routeOptions.url }, "request shed");
  else if (isOutOfReach(error) && apiError.code === "UNAVAILABLE")
    request.log.warn({ err: error }, "a part of the service is out of reach");
  else if (apiError.statusCode >= 500) request.log.error({ err: error }, apiError.message);
  const waitSeconds =
    error instanceof SignInThrottled
      ? error.retryAfterSeconds
      : (RETRY_AFTER_SECONDS[apiError.code] ?? (apiError.statusCode === 503 ? 5 : undefined));
  if (waitSeconds !== undefined) void reply.header("retry-after", waitSeconds);
  // A request rejected by the router has no route.
  const { toErrorHeaders, toErrorBody: toBody } = request.routeOptions?.config ?? {};
  void reply
    .code(apiError.statusCode)
    .headers(toErrorHeaders?.(apiError) ?? {})
    // A request rejected by the router has run no hooks.
    .header("x-request-id", request.id)
    .header("access-control-allow-origin", "*")
    .header("content-type", "application/json; charset=utf-8")
    .serializer((body: unknown) => JSON.stringify(body))
    .send(toBody?.(apiError) ?? toErrorBody(apiError, request.id));
}
