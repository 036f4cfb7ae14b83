import type { ApiErrorCode, ApiErrorDetail } from "@stemwright/contract";

/** What was asked for can't be done, in words for whoever asked. The error mapper of `http/` makes a response of it. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly code: ApiErrorCode;
  readonly details: ApiErrorDetail[] | undefined;

  constructor(code: ApiErrorCode, message: string, details?: ApiErrorDetail[]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
