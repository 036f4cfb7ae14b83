import { setTimeout as wait } from "node:timers/promises";
import type { SmallDisk } from "../support/small-disk.ts";

/** Time with room, and without. A share of each is at random. */
const EMPTY_MS = 6000;
const FULL_MS = 8000;

/** Fills the disk to the last byte and empties it again, until aborted. Returns how often. */
export async function fillInTurns(
  disk: SmallDisk,
  { random, signal, say }: { random: () => number; signal: AbortSignal; say(line: string): void },
): Promise<number> {
  const pause = (meanMs: number) =>
    wait((0.5 + random()) * meanMs, undefined, { signal }).catch(() => undefined);
  let times = 0;
  try {
    while (!signal.aborted) {
      await pause(EMPTY_MS);
      if (signal.aborted) break;
      await disk.fill();
      times += 1;
      say(`the disk is full, for the ${times}. time`);
      await pause(FULL_MS);
      await disk.empty();
      say("the disk has room again");
    }
  } finally {
    await disk.empty();
  }
  return times;
}
