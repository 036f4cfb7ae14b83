import type { MediaLooker } from "../ports.ts";

/** Concurrent requests for the same file share one probe, as each takes a process. */
export function shareLooks(looker: MediaLooker): MediaLooker {
  const looks = new Map<string, ReturnType<MediaLooker["look"]>>();
  return {
    ...looker,
    look(asset) {
      const { blobKey } = asset;
      const look = looks.get(blobKey) ?? looker.look(asset).finally(() => looks.delete(blobKey));
      looks.set(blobKey, look);
      return look;
    },
  };
}
