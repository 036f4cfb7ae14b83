import { makeGate } from "../gate.ts";
import type { MediaLooker } from "../ports.ts";
import { isCustomerBlobKey, parseCustomerBlobKey } from "../storage/customer-object.ts";

/** A probe takes a third of a second of a core: with this many waiting, the last waits about five seconds. */
const WAITERS_PER_PLACE = 16;
const WAIT_MS = 15_000;

/**
 * Limits concurrent probes: hundreds of processes would starve everything else on the machine. Files in clients' buckets have separate places, since
 * copying one may take minutes, and those of one integration at most half of these.
 */
export function limitLooks(looker: MediaLooker, atOnce: number): MediaLooker {
  const limits = { max: atOnce, waitersMax: atOnce * WAITERS_PER_PLACE, waitMs: WAIT_MS };
  const own = makeGate(limits);
  const theirs = makeGate(limits);
  return {
    ...looker,
    async look(blobKey) {
      const leave = isCustomerBlobKey(blobKey)
        ? await theirs.enter(parseCustomerBlobKey(blobKey).integrationId)
        : await own.enter();
      try {
        return await looker.look(blobKey);
      } finally {
        leave();
      }
    },
  };
}

/** Concurrent requests for the same file share one probe, as each takes a process. */
export function shareLooks(looker: MediaLooker): MediaLooker {
  const looks = new Map<string, ReturnType<MediaLooker["look"]>>();
  return {
    ...looker,
    look(blobKey) {
      const look = looks.get(blobKey) ?? looker.look(blobKey).finally(() => looks.delete(blobKey));
      looks.set(blobKey, look);
      return look;
    },
  };
}
