import type { PersonSession } from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** One's own dashboard sessions. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<PersonSession[]> {
    return this.#transport.load({ method: "GET", path: "/account/sessions" }, options);
  }

  revoke(id: string, options?: RequestOptions): Promise<PersonSession> {
    return this.#transport.load({ method: "DELETE", path: route`/account/sessions/${id}` }, options);
  }
}
