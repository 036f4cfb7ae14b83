import type { DatabaseProbe } from "../db/connection/database-probe.ts";
import type { Blobs } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { StoreOutage } from "../domain/storage/store-outage.ts";
import { within } from "../domain/within.ts";
import type { DiskRoom } from "./disk-room.ts";
import type { SchemaWatch } from "./schema-watch.ts";

const STORE_ANSWER_MS = 2000;
/** The store is checked at most this often. */
const STORE_KEPT_MS = 5000;
const ROOM_KEPT_MS = 1000;

export type Readiness = {
  /** Why requests can't be served; undefined if they can. */
  findFault(): Promise<Error | undefined>;
  /** The last known schema fault, which stops all work. */
  findSchemaFault(): Error | undefined;
  /** Why the database is unavailable, if its supervisor knows. */
  findOutage(): Error | undefined;
  /** Reports not ready until the returned function is called. */
  beginStart(): () => void;
  /** From now on reports not ready, while requests are still served. */
  drain(): void;
  isDraining(): boolean;
};

export function makeReadiness(options: {
  probe: Pick<DatabaseProbe, "isReady">;
  schema: Pick<SchemaWatch, "findFault">;
  store: Pick<Blobs, "check">;
  room: Pick<DiskRoom, "findShortage">;
  findOutage?: (() => Error | undefined) | undefined;
}): Readiness {
  const { probe, schema, store, room, findOutage = () => undefined } = options;
  const findStoreFault = keepAnswer(STORE_KEPT_MS, async () => {
    try {
      await within(STORE_ANSWER_MS, store.check());
      return undefined;
    } catch (error) {
      return error instanceof StoreOutage ? error : new StoreOutage(error);
    }
  });
  /** A disk that does not answer is the store's fault, which says so. */
  const findRoomFault = keepAnswer(ROOM_KEPT_MS, async () => {
    const shortage = await within(STORE_ANSWER_MS, room.findShortage()).catch(() => undefined);
    return shortage === undefined
      ? undefined
      : new Refusal(
          "STORAGE_FULL",
          `No upload can be stored: ${shortage}. The operator must free some space`,
        );
  });
  const findSchemaFault = () => {
    const fault = schema.findFault();
    return fault && new Refusal("UNAVAILABLE", fault.message);
  };
  let isDraining = false;
  let isStarting = false;
  return {
    beginStart() {
      isStarting = true;
      return () => {
        isStarting = false;
      };
    },
    drain() {
      isDraining = true;
    },
    isDraining: () => isDraining,
    findOutage,
    findSchemaFault,
    async findFault() {
      if (isDraining) return new Refusal("UNAVAILABLE", "The service is shutting down; try another process");
      if (isStarting)
        return new Refusal("UNAVAILABLE", "The service is starting: its first account does not exist yet");
      const [storeFault, roomFault] = [findStoreFault(), findRoomFault()];
      if (!(await probe.isReady()))
        return findOutage() ?? new Refusal("UNAVAILABLE", "The database does not answer");
      return findSchemaFault() ?? (await storeFault) ?? (await roomFault);
    },
  };
}

/** Concurrent and closely following checks share one result. */
function keepAnswer<Answer>(keptMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer === undefined || performance.now() - askedAtMs > keptMs) {
      askedAtMs = performance.now();
      answer = ask();
    }
    return answer;
  };
}
