import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** Whether the service is there; no key is needed. */
export class Health {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Resolves when the process runs. */
  live(options?: RequestOptions): Promise<{ status: "ok" }> {
    return this.#transport.load({ method: "GET", path: "/health/live" }, options);
  }

  /** Resolves when requests can be served; else it rejects with a `ServerError`. */
  ready(options?: RequestOptions): Promise<{ status: "ok" }> {
    return this.#transport.load({ method: "GET", path: "/health/ready" }, options);
  }
}
