import type { ExitReason } from "./exit-codes.ts";

/** A sentence for the user that says what is wrong and what to do. */
export class CliError extends Error {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "CliError";
    this.reason = reason;
  }
}
