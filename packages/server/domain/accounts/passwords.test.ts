import { expect, it } from "vitest";
import { makePasswords } from "./passwords.ts";

const passwords = makePasswords();

it("[PE3] a password matches only its own hash, in every Unicode composition", async () => {
  const hash = await passwords.hash("Z\u00fcrich am See", "eve");
  expect(await passwords.isRight("Zu\u0308rich am See", hash, "eve")).toBe(true);
  expect(await passwords.isRight("Zurich am See", hash, "eve")).toBe(false);
  expect(await passwords.hash("Z\u00fcrich am See", "eve")).not.toBe(hash);
});

it("[PE3] a hash with other parameters is still read", async () => {
  // Made with the argon2 program: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1.
  const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  expect(await passwords.isRight("password", hash, "eve")).toBe(true);
  expect(await passwords.isRight("Password", hash, "eve")).toBe(false);
});

it("[PE3] a missing hash never matches, and takes the time of hashing all the same", async () => {
  let entered = 0;
  const watched = makePasswords({
    isFull: () => false,
    async enter() {
      entered += 1;
      return () => {};
    },
  });
  expect(await watched.isRight("a password", null, "eve")).toBe(false);
  expect(await watched.isRight("a password", undefined, "eve")).toBe(false);
  expect(entered).toBe(2);
});

it("[PE3] two are hashed at a time, and a flood is refused as overload", async () => {
  const hashes = Array.from({ length: 60 }, () => passwords.isRight("a password", null, "eve"));
  const results = await Promise.allSettled(hashes);
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThanOrEqual(26);
  expect(refused[0]).toMatchObject({ reason: { code: "OVERLOADED" } });
});

it("[E10] one guesser's flood leaves half of the places to others", async () => {
  const fair = makePasswords();
  const flood = Array.from({ length: 60 }, () => fair.isRight("a password", null, "eve"));
  const ended = Promise.allSettled(flood);
  const first = await Promise.race([
    fair.isRight("a password", null, "ann").then(() => "ann"),
    Promise.all(flood.slice(0, 3)).then(() => "eve"),
  ]);
  expect(first).toBe("ann");
  await ended;
});
