import type { AccountOptions, Me, MeChangeInput, SignedOut, SignInInput } from "@stemwright/contract";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";
import { AccountKeys } from "./account-keys.ts";
import { AccountLedger } from "./account-ledger.ts";
import { Invitations } from "./invitations.ts";
import { People } from "./people.ts";
import { Sessions } from "./sessions.ts";

/** The account of the person signed in to the dashboard, with its people, keys and credits. */
export class Account {
  readonly sessions: Sessions;
  readonly people: People;
  readonly invitations: Invitations;
  readonly keys: AccountKeys;
  readonly credits: AccountLedger;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.sessions = new Sessions(transport);
    this.people = new People(transport);
    this.invitations = new Invitations(transport);
    this.keys = new AccountKeys(transport);
    this.credits = new AccountLedger(transport);
    this.#transport = transport;
  }

  /** The ways to sign in. */
  options(options?: RequestOptions): Promise<AccountOptions> {
    return this.#transport.load({ method: "GET", path: "/account/options" }, options);
  }

  /** Sets the session cookie. */
  signIn(credentials: SignInInput, options?: RequestOptions): Promise<Me> {
    return this.#transport.load({ method: "POST", path: "/account/sign-in", json: credentials }, options);
  }

  /** `token` is the part of a one-time link after the `#`. Sets the session cookie. */
  signInWithLink(token: string, options?: RequestOptions): Promise<Me> {
    return this.#transport.load({ method: "POST", path: "/account/sign-in/link", json: { token } }, options);
  }

  signOut(options?: RequestOptions): Promise<SignedOut> {
    return this.#transport.load({ method: "POST", path: "/account/sign-out" }, options);
  }

  /** The signed-in person. */
  me(options?: RequestOptions): Promise<Me> {
    return this.#transport.load({ method: "GET", path: "/account/me" }, options);
  }

  /** A new password ends all other sessions. */
  update(change: MeChangeInput, options?: RequestOptions): Promise<Me> {
    return this.#transport.load({ method: "PATCH", path: "/account/me", json: change }, options);
  }
}
