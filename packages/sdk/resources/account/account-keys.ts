import type { ApiKey, KeyInput, NewApiKey } from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** The account's own API keys. */
export class AccountKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `secret` is the key; it is returned only here. */
  create(key: KeyInput, options?: RequestOptions): Promise<NewApiKey> {
    return this.#transport.load({ method: "POST", path: "/account/keys", json: key }, options);
  }

  list(options?: RequestOptions): Promise<ApiKey[]> {
    return this.#transport.load({ method: "GET", path: "/account/keys" }, options);
  }

  revoke(id: string, options?: RequestOptions): Promise<ApiKey> {
    return this.#transport.load({ method: "DELETE", path: route`/account/keys/${id}` }, options);
  }
}
