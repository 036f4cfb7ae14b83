import type { Person, PersonChange } from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** People who sign in to the account. */
export class People {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: RequestOptions): Promise<Person[]> {
    return this.#transport.load({ method: "GET", path: "/account/people" }, options);
  }

  /** Owners only. */
  update(id: string, change: PersonChange, options?: RequestOptions): Promise<Person> {
    return this.#transport.load(
      { method: "PATCH", path: route`/account/people/${id}`, json: change },
      options,
    );
  }

  /** Owners only. Ends the person's sessions. */
  remove(id: string, options?: RequestOptions): Promise<Person> {
    return this.#transport.load({ method: "DELETE", path: route`/account/people/${id}` }, options);
  }
}
