import type { AccountCredits, CreditEntry } from "@stemwright/contract";
import { type Listing, type ListQuery, makeListing } from "../../http/listing.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** The account's own credits. */
export class AccountLedger {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: RequestOptions): Promise<AccountCredits> {
    return this.#transport.load({ method: "GET", path: "/account/credits" }, options);
  }

  ledger(query: ListQuery = {}, options?: RequestOptions): Listing<CreditEntry> {
    return makeListing(this.#transport, { path: "/account/credits/ledger", query }, options);
  }
}
