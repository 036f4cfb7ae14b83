import type { ApiErrorCode } from "@stemwright/contract";
import { Refusal } from "./refusal.ts";

/** Refuses a request for one of its fields. The message is the field's, unless a longer one stands for the request. */
export function refuseField(
  code: ApiErrorCode,
  field: { path: string; message: string },
  message = field.message,
): never {
  throw new Refusal(code, message, [field]);
}
