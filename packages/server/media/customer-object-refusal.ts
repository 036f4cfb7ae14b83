import { Refusal } from "../domain/refusal.ts";
import type { BucketError } from "../domain/storage/bucket.ts";

/** What a client's bucket says against one of its objects. `code` is for faults that are not temporary and not the operator's. */
export function toCustomerObjectRefusal(
  { kind, isTransient, message }: BucketError,
  { what, code }: { what: "asset" | "transcript"; code: Refusal["code"] },
): Refusal {
  const reason = `The ${what} can't be read from its bucket: ${message}`;
  if (isTransient) return new Refusal("UNAVAILABLE", `${reason}; try again in a moment`);
  return new Refusal(kind === "not-set-up" ? "NOT_SET_UP" : code, reason);
}
