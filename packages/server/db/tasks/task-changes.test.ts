import { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { startSilentServer } from "../../../../test/support/silent-server.ts";
import { openTaskChanges } from "./task-changes.ts";

it("[T13] the LISTEN connection uses keep-alives, so that a dead one is noticed", async () => {
  const setKeepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
  const server = await startSilentServer();
  const changes = openTaskChanges({
    connectionString: `postgres://127.0.0.1:${server.port}/none`,
    onError: () => {},
  });
  changes.subscribe(() => {});
  await expect.poll(server.countConnections).toBe(1);
  await expect.poll(() => setKeepAlive.mock.calls).toContainEqual([true, 10_000]);
  setKeepAlive.mockRestore();
  await server[Symbol.asyncDispose]();
  await changes.close();
});
