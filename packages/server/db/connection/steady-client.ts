import pg from "pg";

/**
 * A connection that needs no `error` listener. When a connection breaks, its running query rejects and the pool replaces it at its next use. But pg also
 * emits `error`, even while the connection is idle or just released, and an unhandled `error` crashes the process.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
  }
}
