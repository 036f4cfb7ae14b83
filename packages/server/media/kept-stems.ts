import { sweepStemCache } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";

/** Stems cached for later Tasks. On a full disk they are evicted, for uploads and Tasks alike. */
export interface KeptStems {
  /** Removes all of them; returns how many there were. */
  giveUp(facts?: { taskId: string }): Promise<number>;
}

export function makeKeptStems({ cacheDir, log }: { cacheDir: string; log: FastifyBaseLogger }): KeptStems {
  return {
    async giveUp(facts) {
      // If they can't be removed, the disk stays full.
      const stems = await sweepStemCache(cacheDir, async () => false).catch(() => 0);
      if (stems > 0) log.warn({ ...facts, stems }, "disk full, evicting cached stems");
      return stems;
    },
  };
}
