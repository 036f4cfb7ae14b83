import { createHash } from "node:crypto";
import { Refusal } from "../refusal.ts";
import { type AttemptCounter, makeBackoffAllowance, makeSteadyAllowance } from "./allowance.ts";
import type { PeopleStore } from "./people-store.ts";

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;

/**
 * A pair of address and account slows down before the account does, so one address can't use up what all addresses have together; benchmarks/guessing.ts has
 * the numbers.
 */
const PER_PAIR = makeBackoffAllowance(
  4,
  [1, 2, 4, 8, 15].map((minutes) => minutes * MINUTE_SECONDS),
  HOUR_SECONDS,
);
const PER_ACCOUNT = makeSteadyAllowance(7, 5 * MINUTE_SECONDS);
/** Several people may share an address, so it is slowed and never locked. */
const PER_ADDRESS = makeSteadyAllowance(20, 30);

/** How many addresses the people of an account may learn to be taken: six a day. Claims in progress count, and several people may join at once. */
const TAKEN_PER_CLIENT = makeSteadyAllowance(10, 4 * HOUR_SECONDS);

/** Who tries a password: a browser that knew it before, somebody who is signed in, or anybody. */
export type Guesser = { browserId: string } | { session: string } | { address: string; account: string };

export type AttemptStore = Pick<PeopleStore, "countAttempts" | "forgiveAttempts">;

/** Too many attempts; what was tried was not even checked. */
export class SignInThrottled extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(waitSeconds: number, advice = "sign in with a link (npm run sign-in)") {
    const seconds = Math.ceil(waitSeconds);
    const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
    super("SIGN_IN_THROTTLED", `Too many failed attempts; wait ${wait}, or ${advice}`);
    this.retryAfterSeconds = seconds;
  }
}

const toSubject = (...parts: string[]) => createHash("sha256").update(parts.join(" ")).digest();

/** Those whose attempts are forgotten once the password is right, and those that only take this one back. */
function toCounters(guesser: Guesser): { own: AttemptCounter; shared: AttemptCounter[] } {
  if ("browserId" in guesser)
    return { own: { subject: toSubject("browser", guesser.browserId), allowance: PER_ACCOUNT }, shared: [] };
  if ("session" in guesser)
    return { own: { subject: toSubject("session", guesser.session), allowance: PER_ACCOUNT }, shared: [] };
  const { address, account } = guesser;
  return {
    own: { subject: toSubject("pair", address, account), allowance: PER_PAIR },
    shared: [
      { subject: toSubject("address", address), allowance: PER_ADDRESS },
      { subject: toSubject("account", account), allowance: PER_ACCOUNT },
    ],
  };
}

/**
 * Tries a password, unless there were too many attempts. They are counted before they are made, so that a thousand at once don't exceed the allowance; a
 * right one is taken back. Accounts are counted by the email address entered, known or not, so the answer reveals nothing.
 */
export async function tryPassword(
  store: AttemptStore,
  guesser: Guesser,
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const { own, shared } = toCounters(guesser);
  const waitSeconds = await store.countAttempts([own, ...shared]);
  if (waitSeconds > 0) throw new SignInThrottled(waitSeconds);
  if (!(await isRight())) return false;
  await store.forgiveAttempts({ all: [own.subject], one: shared.map(({ subject }) => subject) });
  return true;
}

/**
 * Takes an email address for a person of a client. Addresses are unique among all clients, so a refusal says that somebody has it; no account may ask
 * that often. A free address counts nothing.
 */
export async function claimAddress<Result>(
  store: AttemptStore,
  clientId: string,
  claim: () => Promise<Result | "taken">,
): Promise<Result | "taken"> {
  const counter = { subject: toSubject("claims", clientId), allowance: TAKEN_PER_CLIENT };
  const waitSeconds = await store.countAttempts([counter]);
  if (waitSeconds > 0) throw new SignInThrottled(waitSeconds, "ask whoever runs this service");
  const claimed = await claim();
  if (claimed !== "taken") await store.forgiveAttempts({ all: [], one: [counter.subject] });
  return claimed;
}
