import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** Health checks; need no key. */
export class Health {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Resolves if the process is running. */
  live(options?: RequestOptions): Promise<{ status: "ok" }> {
    return this.#transport.load({ method: "GET", path: "/health/live" }, options);
  }

  /** Resolves if requests can be served; otherwise rejects with a `ServerError`. */
  ready(options?: RequestOptions): Promise<{ status: "ok" }> {
    return this.#transport.load({ method: "GET", path: "/health/ready" }, options);
  }
}
