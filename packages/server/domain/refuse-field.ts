import type { ApiErrorCode } from "@stemwright/contract";
import { Refusal } from "./refusal.ts";

/** Refuses a request because of one field. The request's message defaults to the field's. */
export function refuseField(
  code: ApiErrorCode,
  field: { path: string; message: string },
  message = field.message,
): never {
  throw new Refusal(code, message, [field]);
}
