import type {
  Invitation,
  InvitationAcceptanceInput,
  InvitationInput,
  Me,
  NewInvitation,
  ProviderRedirect,
  ReceivedInvitation,
} from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

export class Invitations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Owners only. `url` is the link to hand over; it is returned only here. */
  create(invitation: InvitationInput = {}, options?: RequestOptions): Promise<NewInvitation> {
    return this.#transport.load({ method: "POST", path: "/account/invitations", json: invitation }, options);
  }

  list(options?: RequestOptions): Promise<Invitation[]> {
    return this.#transport.load({ method: "GET", path: "/account/invitations" }, options);
  }

  /** Owners only. Withdraws an open invitation. */
  delete(id: string, options?: RequestOptions): Promise<Invitation> {
    return this.#transport.load({ method: "DELETE", path: route`/account/invitations/${id}` }, options);
  }

  /** What the invitation of a link leads to. `token` is the part after the `#`. */
  lookup(token: string, options?: RequestOptions): Promise<ReceivedInvitation> {
    return this.#transport.load(
      { method: "POST", path: "/account/invitations/lookup", json: { token } },
      options,
    );
  }

  /** Returns where to send the browser: the account is joined once the person has signed in there. */
  acceptWithProvider(token: string, options?: RequestOptions): Promise<ProviderRedirect> {
    return this.#transport.load(
      { method: "POST", path: "/account/invitations/accept/provider", json: { token } },
      options,
    );
  }

  /** Joins the account and sets the session cookie. */
  accept(acceptance: InvitationAcceptanceInput, options?: RequestOptions): Promise<Me> {
    return this.#transport.load(
      { method: "POST", path: "/account/invitations/accept", json: acceptance },
      options,
    );
  }
}
