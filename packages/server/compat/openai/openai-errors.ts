import type { ApiError, ApiErrorCode, OpenAiError } from "@stemwright/contract";

/** Codes that OpenAI's clients look for. */
const CODES: Partial<Record<ApiErrorCode, string>> = {
  KEY_MISSING: "invalid_api_key",
  KEY_INVALID: "invalid_api_key",
  // Only models can be looked up here.
  NOT_FOUND: "model_not_found",
  MODEL_NOT_GRANTED: "model_not_found",
  MODEL_NOT_INSTALLED: "model_not_found",
  CREDITS_INSUFFICIENT: "insufficient_quota",
  RATE_LIMITED: "rate_limit_exceeded",
};

function toType({ code, statusCode }: ApiError): string {
  if (code === "CREDITS_INSUFFICIENT") return "insufficient_quota";
  if (statusCode === 429) return "requests";
  return statusCode >= 500 ? "server_error" : "invalid_request_error";
}

/** An error in OpenAI's format. Fields of the Task's target are named like the form's fields. */
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

/** Their clients retry 409 and 5xx automatically. After these errors a retry would end the same way. */
const FINAL: readonly ApiErrorCode[] = ["MODEL_NOT_INSTALLED", "TASK_CANCELLED", "WAIT_TOO_LONG"];

export const shouldRetry = ({ code }: ApiError) => !FINAL.includes(code);
