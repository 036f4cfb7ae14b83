import type { Client, ClientChangeInput, ClientInput } from "@stemwright/contract";
import { type Listing, type ListQuery, makeListing } from "../../http/listing.ts";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** Accounts. */
export class Clients {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(client: ClientInput, options?: RequestOptions): Promise<Client> {
    return this.#transport.load({ method: "POST", path: "/admin/clients", json: client }, options);
  }

  list(query: ListQuery = {}, options?: RequestOptions): Listing<Client> {
    return makeListing(this.#transport, { path: "/admin/clients", query }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Client> {
    return this.#transport.load({ method: "GET", path: route`/admin/clients/${id}` }, options);
  }

  update(id: string, change: ClientChangeInput, options?: RequestOptions): Promise<Client> {
    return this.#transport.load(
      { method: "PATCH", path: route`/admin/clients/${id}`, json: change },
      options,
    );
  }

  /** Refuses the client's keys from now on; accepted Tasks still finish. */
  suspend(id: string, options?: RequestOptions): Promise<Client> {
    return this.#transport.load({ method: "POST", path: route`/admin/clients/${id}/suspend` }, options);
  }

  resume(id: string, options?: RequestOptions): Promise<Client> {
    return this.#transport.load({ method: "POST", path: route`/admin/clients/${id}/resume` }, options);
  }
}
