import pg from "pg";

/**
 * A connection that needs no `error` listener. A running query rejects when the connection breaks, and the pool replaces it at its next use;
 * but pg also emits `error`, even while the connection is idle or just released, and an unhandled `error` ends the process.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
  }
}
