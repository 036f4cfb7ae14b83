import { makeGate } from "../gate.ts";
import type { MediaLooker } from "../ports.ts";

/** A probe takes a third of a second of a core: with this many waiting, the last waits about five seconds. */
const WAITERS_PER_PLACE = 16;
const WAIT_MS = 15_000;

/** Limits concurrent probes: hundreds of processes would starve everything else on the machine. */
export function limitLooks(looker: MediaLooker, atOnce: number): MediaLooker {
  const gate = makeGate({ max: atOnce, waitersMax: atOnce * WAITERS_PER_PLACE, waitMs: WAIT_MS });
  return {
    ...looker,
    async look(blobKey) {
      const leave = await gate.enter();
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
