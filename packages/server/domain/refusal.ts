import type { ApiErrorCode, ApiErrorDetail } from "@stemwright/contract";

/** Why a request can't be fulfilled, in words for the client. The error mapper of `http/` turns it into a response. */
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
