import { sweepStemCache } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";

/** Stems that are kept for later Tasks. On a full disk they are evicted, for uploads as for Tasks. */
export interface KeptStems {
  /** Removes all of them; returns how many there were. */
  giveUp(facts?: { taskId: string }): Promise<number>;
}

export function makeKeptStems({ cacheDir, log }: { cacheDir: string; log: FastifyBaseLogger }): KeptStems {
  return {
    async giveUp(facts) {
      // Where they can't be removed, the disk is as full as it was.
      const stems = await sweepStemCache(cacheDir, async () => false).catch(() => 0);
      if (stems > 0) log.warn({ ...facts, stems }, "disk full, evicting cached stems");
      return stems;
    },
  };
}
