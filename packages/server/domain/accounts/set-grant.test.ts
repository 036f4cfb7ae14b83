import { expect, it, vi } from "vitest";
import type { AccountStore } from "./account-store.ts";
import { setGrant } from "./manage-accounts.ts";

const upsertGrant = vi.fn(async () => {});
const accounts = { findClient: async () => ({ id: "c" }), upsertGrant } as unknown as AccountStore;
const grant = (terms: { access?: "enabled"; creditsPerMinute?: number }) =>
  setGrant(accounts, { clientId: "c".repeat(24), model: "multi_voice", terms, installed: [] });

it("[D5] a model without a network cannot be enabled, but its rate can be set", async () => {
  await expect(grant({ access: "enabled" })).rejects.toMatchObject({ code: "MODEL_NOT_INSTALLED" });
  expect(upsertGrant).not.toHaveBeenCalled();
  expect(await grant({ creditsPerMinute: 2 })).toEqual({ model: "multi_voice", creditsPerMinute: 2 });
});
