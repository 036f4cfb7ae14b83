import { expect, it } from "vitest";
import type { PeopleStore } from "./people-store.ts";
import { acceptInvitation } from "./sign-in.ts";

const ACCEPTANCE = { token: "made up", email: "a@example.com", name: "A", password: "long enough" };
const VISITOR = { address: "192.0.2.1", agent: "" };

it("[PE3] [PE7] without an invitation, no password is hashed", async () => {
  let hashed = 0;
  const passwords = {
    async hash() {
      hashed += 1;
      return "";
    },
    isRight: async () => false,
  };
  const people = {
    hasInvitation: async () => false,
    acceptInvitation: async () => "unknown",
  } as Partial<PeopleStore> as PeopleStore;
  await expect(acceptInvitation({ people, passwords }, ACCEPTANCE, VISITOR)).rejects.toMatchObject({
    code: "INVITATION_INVALID",
  });
  expect(hashed).toBe(0);
});
