import type { MediaLooker } from "../ports.ts";

/** Requests for the same file that come together share one look: each takes a process of its own. */
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
