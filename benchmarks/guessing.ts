import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Guesser,
  SignInThrottled,
  tryPassword,
} from "../packages/server/domain/accounts/sign-in-throttle.ts";
import {
  guessGreedily,
  makeAttemptMemory,
} from "../packages/server/domain/accounts/support/guess-greedily.ts";
import { describeRun } from "./machine.ts";

/*
 * How many wrong passwords the sign-in throttle checks for those who guess as fast as they may, by a simulated clock, and how long the right password has to
 * wait meanwhile. Compared with what it replaced: ten attempts per account and fifty per address in each 15 minutes.
 */
const WINDOW_SECONDS = 900;
const HORIZONS = { "15 minutes": WINDOW_SECONDS, "an hour": 3600, "a day": 86_400 };

const listPairs = (addresses: number, accounts: number): Guesser[] =>
  Array.from({ length: addresses * accounts }, (_, index) => ({
    address: `address ${index % addresses}`,
    account: `account ${Math.floor(index / addresses)}`,
  }));
const ATTACKS = [
  { name: "1 account from 1 address", guessers: listPairs(1, 1), before: 10 },
  { name: "1 account from 2 addresses", guessers: listPairs(2, 1), before: 10 },
  { name: "1 account from 100 addresses", guessers: listPairs(100, 1), before: 10 },
  { name: "100 accounts from 1 address", guessers: listPairs(1, 100), before: 50 },
  { name: "the current password, with a stolen session", guessers: [{ session: "stolen" }], before: 10 },
  { name: "with the cookie of a browser that signed in", guessers: [{ browserId: "known" }], before: 10 },
];

const OWNER = "account 0";
const ATTEMPTS = [10, 50, 1000];
const VICTIMS = [
  { name: "another address", guesser: { address: "elsewhere", account: OWNER } },
  { name: "the same address, another account", guesser: { address: "address 0", account: "somebody" } },
  { name: "a browser that signed in before", guesser: { browserId: "the owner's" } },
  { name: "a session, for `currentPassword`", guesser: { session: "the owner's" } },
];

/** The wait after this many requests at once; those that are not checked count as well. */
async function measureWait(
  attackers: readonly Guesser[],
  attempts: number,
  victim: Guesser,
): Promise<number> {
  const store = makeAttemptMemory(() => 0);
  const wait = async (guesser: Guesser, isRight: boolean) => {
    try {
      await tryPassword(store, guesser, async () => isRight);
      return 0;
    } catch (error) {
      if (error instanceof SignInThrottled) return error.retryAfterSeconds;
      throw error;
    }
  };
  for (let attempt = 0; attempt < attempts; attempt++)
    await wait(attackers[attempt % attackers.length] ?? { session: "none" }, false);
  return await wait(victim, true);
}

const lines = [
  "# Guessing passwords",
  "",
  ...describeRun(),
  "- `npm run bench guessing`",
  "",
  "## Wrong passwords that are checked, before and now",
  "",
  "Before: ten per account and fifty per address in each 15 minutes.",
  "",
  `| attack | ${Object.keys(HORIZONS).join(" | ")} |`,
  "|---|---|---|---|",
];
let isFaster = false;
for (const { name, guessers, before } of ATTACKS) {
  const cells = [];
  for (const seconds of Object.values(HORIZONS)) {
    const now = await guessGreedily(guessers, seconds);
    const then = (before * seconds) / WINDOW_SECONDS;
    isFaster ||= now > then;
    cells.push(`${then} → ${now}`);
  }
  lines.push(`| ${name} | ${cells.join(" | ")} |`);
}
lines.push(
  "",
  "## How many seconds the right password waits after wrong ones at once",
  "",
  `| signing in from | ${ATTEMPTS.map((count) => `${count} from 1 address`).join(" | ")} | 1000 from 100 addresses |`,
  "|---|---|---|---|---|",
);
/** Every other attempt is for the victim's account. */
const sharedAddress = listPairs(1, 40).flatMap((pair) => [...listPairs(1, 1), pair]);
for (const { name, guesser } of VICTIMS) {
  const waits = [];
  for (const attempts of ATTEMPTS) waits.push(await measureWait(sharedAddress, attempts, guesser));
  waits.push(await measureWait(listPairs(100, 1), 1000, guesser));
  lines.push(`| ${name} | ${waits.join(" | ")} |`);
}
writeFileSync(join(import.meta.dirname, "results/guessing.md"), `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
if (isFaster) throw new Error("guessing is faster than it was");
