import pg from "pg";

/**
 * A connection that nobody has to listen to. Whoever has a query under way hears of a broken connection by that query, and the pool
 * replaces it at its next use; but pg also emits `error`, also while nobody holds the connection or when its holder has just
 * let go, and an `error` that nobody listens to ends the process.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => {});
  }
}
