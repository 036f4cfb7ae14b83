import type { ApiKey, KeyInput, NewApiKey } from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `secret` is the key; it is returned only here. */
  create(clientId: string, key: KeyInput, options?: RequestOptions): Promise<NewApiKey> {
    return this.#transport.load(
      { method: "POST", path: route`/admin/clients/${clientId}/keys`, json: key },
      options,
    );
  }

  list(clientId: string, options?: RequestOptions): Promise<ApiKey[]> {
    return this.#transport.load({ method: "GET", path: route`/admin/clients/${clientId}/keys` }, options);
  }

  revoke(id: string, options?: RequestOptions): Promise<ApiKey> {
    return this.#transport.load({ method: "DELETE", path: route`/admin/keys/${id}` }, options);
  }
}
