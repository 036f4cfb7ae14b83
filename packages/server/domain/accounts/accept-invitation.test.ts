import { expect, it } from "vitest";
import { acceptInvitation } from "./accept-invitation.ts";
import type { PeopleStore } from "./people-store.ts";

const ACCEPTANCE = { token: "made up", email: "a@example.com", name: "A", password: "long enough" };
const admission = { domains: [], findFirstClientId: async () => undefined };
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
    findInvitation: async () => undefined,
  } as Partial<PeopleStore> as PeopleStore;
  await expect(acceptInvitation({ people, passwords, admission }, ACCEPTANCE, VISITOR)).rejects.toMatchObject(
    {
      code: "INVITATION_INVALID",
    },
  );
  expect(hashed).toBe(0);
});
