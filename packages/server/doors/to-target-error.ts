import { ApiError, type ApiErrorCode, TARGET_ERRORS, type TargetErrorName } from "@stemwright/contract";

/** How the failure of a request's one target reads as the failure of the request. */
const CODES: Partial<Record<TargetErrorName, ApiErrorCode>> = {
  INPUT_UNREADABLE: "MEDIA_UNREADABLE",
  INPUT_NO_AUDIO: "MEDIA_NO_AUDIO",
  INPUT_TOO_LONG: "MEDIA_TOO_LONG",
  INPUT_TOO_LARGE: "UPLOAD_TOO_LARGE",
  INPUT_OVER_CREDITS: "CREDITS_INSUFFICIENT",
  INPUT_DECODED_TOO_LARGE: "MEDIA_TOO_LONG",
  INPUT_OVER_QUOTA: "STORAGE_QUOTA_EXCEEDED",
  OUTPUT_OVER_QUOTA: "STORAGE_QUOTA_EXCEEDED",
  LANGUAGE_UNSUPPORTED: "LANGUAGE_UNSUPPORTED",
  DISK_FULL: "STORAGE_FULL",
  CANCELLED: "TASK_CANCELLED",
  NOT_SET_UP: "NOT_SET_UP",
};

/** Codes that are not in the table are our own failures. */
export function toTargetError({ code, message }: { code: number; message: string }): ApiError {
  const names = Object.keys(TARGET_ERRORS) as TargetErrorName[];
  const name = names.find((candidate) => TARGET_ERRORS[candidate].code === code);
  return new ApiError((name && CODES[name]) ?? "INTERNAL", message);
}
