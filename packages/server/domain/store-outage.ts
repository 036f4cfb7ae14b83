/** Our own store can't be reached, or refuses us: nothing that a client or a Task did. */
export class StoreOutage extends Error {
  override readonly name = "StoreOutage";

  constructor(cause: unknown) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
