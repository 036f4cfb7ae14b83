const UNKNOWN = "Part of the service is unavailable; retry shortly";

/** Our own store is unreachable or rejects us: not the fault of a client or a Task. */
export class StoreOutage extends Error {
  override readonly name = "StoreOutage";
  /** The message for clients. */
  readonly advice: string;

  constructor(cause: unknown, advice: string = UNKNOWN) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.advice = advice;
  }
}
