import type { CreditEntry, CreditGrantInput, Credits } from "@stemwright/contract";
import { type Listing, type ListQuery, makeListing } from "../../http/listing.ts";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

export class ClientLedger {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Grants or refunds credits; a negative grant takes them back. */
  grant(clientId: string, grant: CreditGrantInput, options?: RequestOptions): Promise<CreditEntry> {
    const path = route`/admin/clients/${clientId}/credits`;
    return this.#transport.load({ method: "POST", path, json: grant }, options);
  }

  get(clientId: string, options?: RequestOptions): Promise<Credits> {
    return this.#transport.load({ method: "GET", path: route`/admin/clients/${clientId}/credits` }, options);
  }

  /** Every entry of the ledger, newest first. */
  ledger(clientId: string, query: ListQuery = {}, options?: RequestOptions): Listing<CreditEntry> {
    const path = route`/admin/clients/${clientId}/credits/ledger`;
    return makeListing(this.#transport, { path, query }, options);
  }
}
