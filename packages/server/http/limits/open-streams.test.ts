import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useFakeTime } from "../../../../test/support/fake-time.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { makeOpenStreams } from "./open-streams.ts";

beforeEach(useFakeTime);
afterEach(() => void vi.useRealTimers());

const WITHIN_MS = 5000;

it.each([
  ["its key is revoked", { clientId: "a", role: "client" }, undefined, true],
  ["nothing changes", { clientId: "a", role: "client" }, { clientId: "a", role: "client" }, false],
  [
    "its administrator becomes a member",
    { clientId: "b", role: "admin" },
    { clientId: "a", role: "client" },
    true,
  ],
  ["its administrator stays one", { clientId: "b", role: "admin" }, { clientId: "a", role: "admin" }, false],
  ["it is of the own client", { clientId: "a", role: "admin" }, { clientId: "a", role: "client" }, false],
] as const)("[K7] within five seconds a stream ends or stays: %s", async (_case, then, now, ends) => {
  const caller: Caller = { keyId: "key", ...then };
  let current: readonly Caller[] = [caller];
  const streams = makeOpenStreams({
    keys: { listActiveCallers: async () => [...current] },
    limits: { max: 10, maxPerClient: 10 },
    onError: (error) => {
      throw error;
    },
  });
  const { signal, close } = streams.open(caller);
  // The worst moment: just after a check.
  await vi.advanceTimersToNextTimerAsync();
  current = now ? [{ keyId: "key", ...now }] : [];
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(WITHIN_MS);
  expect(signal.aborted).toBe(ends);
  close();
});
