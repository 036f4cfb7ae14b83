import type { MediaProbe } from "../ports.ts";

/** Concurrent requests for the same file share one probe, as each takes a process. */
export function shareProbes(probe: MediaProbe): MediaProbe {
  const probes = new Map<string, ReturnType<MediaProbe["look"]>>();
  return {
    ...probe,
    look(asset) {
      const { blobKey } = asset;
      const look = probes.get(blobKey) ?? probe.look(asset).finally(() => probes.delete(blobKey));
      probes.set(blobKey, look);
      return look;
    },
  };
}
