import type { ApiError, ApiErrorCode, OpenAiError } from "@stemwright/contract";

/** What clients of OpenAI look for. */
const CODES: Partial<Record<ApiErrorCode, string>> = {
  KEY_MISSING: "invalid_api_key",
  KEY_INVALID: "invalid_api_key",
  // Models are all that can be named here.
  NOT_FOUND: "model_not_found",
  MODEL_NOT_GRANTED: "model_not_found",
  CREDITS_INSUFFICIENT: "insufficient_quota",
  RATE_LIMITED: "rate_limit_exceeded",
};

function toType({ code, statusCode }: ApiError): string {
  if (code === "CREDITS_INSUFFICIENT") return "insufficient_quota";
  if (statusCode === 429) return "requests";
  return statusCode >= 500 ? "server_error" : "invalid_request_error";
}

/** A failure as OpenAI's clients read it. What is said of the Task's one target is said of the form's field. */
export function toOpenAiError(error: ApiError): OpenAiError {
  const [detail] = error.details ?? [];
  return {
    error: {
      message: error.message.replaceAll("targets[0].", ""),
      type: toType(error),
      param: detail?.path.replace("targets[0].", "") ?? null,
      code: CODES[error.code] ?? error.code.toLowerCase(),
    },
  };
}

/**
 * Their clients repeat what is 409 and 5xx by themselves: of work that was cancelled, or has taken too long once, that would be a
 * second time the same.
 */
export const shouldRetry = ({ code }: ApiError) => code !== "TASK_CANCELLED" && code !== "WAIT_TOO_LONG";
