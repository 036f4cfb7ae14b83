/** A server that takes no writes: a standby, or a primary that was fenced. SQLSTATE 25006 is what such a server itself would answer to a write. */
export class ReadOnlyServer extends Error {
  override readonly name = "ReadOnlyServer";
  readonly code = "25006";

  constructor() {
    super("the server is read-only: it is a standby, or a primary that was fenced");
  }
}
