const UNKNOWN = "A part of the service does not answer just now; try again in a moment";

/** Our own store can't be reached, or refuses us: nothing that a client or a Task did. */
export class StoreOutage extends Error {
  override readonly name = "StoreOutage";
  /** The message for clients. */
  readonly advice: string;

  constructor(cause: unknown, advice: string = UNKNOWN) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.advice = advice;
  }
}
