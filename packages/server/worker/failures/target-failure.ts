import { TARGET_ERRORS, type TargetErrorName } from "@stemwright/contract";

/** A failure that ends a target, worded for the client. */
export class TargetFailure extends Error {
  override readonly name = "TargetFailure";
  readonly code: number;

  constructor(name: TargetErrorName, message: string = TARGET_ERRORS[name].when) {
    super(message);
    this.code = TARGET_ERRORS[name].code;
  }
}
