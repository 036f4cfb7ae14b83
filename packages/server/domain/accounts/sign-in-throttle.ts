import { createHash } from "node:crypto";
import { Refusal } from "../refusal.ts";

import type { PeopleStore } from "./people-store.ts";

const WINDOW_SECONDS = 15 * 60;
const ATTEMPTS_PER_ACCOUNT = 10;
/** Several people may share an address. */
const ATTEMPTS_PER_ADDRESS = 50;

type AttemptStore = Pick<PeopleStore, "countAttempt" | "forgiveAttempts">;

/** Too many attempts; this password was not even checked. */
export class SignInThrottled extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(
      "SIGN_IN_THROTTLED",
      `Too many failed attempts; wait ${Math.ceil(retryAfterSeconds / 60)} minutes, or sign in with a link (npm run sign-in)`,
    );
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const toSubject = (kind: "address" | "account", name: string) =>
  createHash("sha256").update(`${kind} ${name}`).digest();

/**
 * Tries a password, unless the address or the account has had too many attempts. Attempts are counted before they are made, so that a thousand at once don't
 * exceed the limit; a successful one is taken back. Accounts are counted by the email address entered, known or not, so the answer reveals nothing.
 */
export async function tryPassword(
  store: AttemptStore,
  who: { address: string; account: string },
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const address = toSubject("address", who.address);
  const account = toSubject("account", who.account);
  for (const { subject, max } of [
    { subject: address, max: ATTEMPTS_PER_ADDRESS },
    { subject: account, max: ATTEMPTS_PER_ACCOUNT },
  ]) {
    const { attempts, resetsInSeconds } = await store.countAttempt(subject, WINDOW_SECONDS);
    if (attempts > max) throw new SignInThrottled(resetsInSeconds);
  }
  if (!(await isRight())) return false;
  await store.forgiveAttempts(account, "all");
  await store.forgiveAttempts(address, 1);
  return true;
}
