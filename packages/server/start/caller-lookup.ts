import type { FastifyBaseLogger } from "fastify";
import { findCaller, listActiveKeys, touchKey } from "../db/accounts/key-rows.ts";
import { findSessionCaller, listActiveSessions, touchSession } from "../db/accounts/session-rows.ts";
import type { Database } from "../db/database.ts";
import type { KeyLookup } from "../http/access/authenticate.ts";
import type { SessionLookup } from "../http/access/session-caller.ts";

/** How often a key's last use is recorded. For concurrent requests the database decides. */
const USE_NOTED_MS = 60_000;

const isDue = (lastUsedAt: Date | null | undefined) =>
  Date.now() - (lastUsedAt?.getTime() ?? 0) > USE_NOTED_MS;

export const makeKeyLookup = (db: Database, log: FastifyBaseLogger): KeyLookup => ({
  async findCaller(key) {
    const caller = await findCaller(db, key);
    if (caller && isDue(caller.lastUsedAt))
      void touchKey(db, caller.keyId).catch((error) =>
        log.warn({ err: error }, "failed to record the last use of a key"),
      );
    return caller;
  },
  listActiveCallers: async (keyIds) => [
    ...(await listActiveKeys(db, keyIds)),
    ...(await listActiveSessions(db, keyIds)),
  ],
});

export const makeSessionLookup = (db: Database, log: FastifyBaseLogger): SessionLookup => ({
  async findCaller(token) {
    const caller = await findSessionCaller(db, token);
    if (caller && isDue(caller.lastUsedAt))
      void touchSession(db, caller.keyId).catch((error) =>
        log.warn({ err: error }, "failed to record the last use of a session"),
      );
    return caller;
  },
});
