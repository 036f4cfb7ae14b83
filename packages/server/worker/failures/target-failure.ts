import { TARGET_ERRORS, type TargetErrorName } from "@stemwright/contract";

/** A failure that ends a target, as the client will read it. */
export class TargetFailure extends Error {
  override readonly name = "TargetFailure";
  readonly code: number;

  constructor(name: TargetErrorName, message: string = TARGET_ERRORS[name].when) {
    super(message);
    this.code = TARGET_ERRORS[name].code;
  }
}
