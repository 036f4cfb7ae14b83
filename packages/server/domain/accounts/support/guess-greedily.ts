import { type Counted, countAttempt, toWaitSeconds } from "../allowance.ts";
import { type AttemptStore, type Guesser, SignInThrottled, tryPassword } from "../sign-in-throttle.ts";

/** Counts as the database does, by a clock that only the caller moves. */
export function makeAttemptMemory(nowMs: () => number): AttemptStore {
  const levels = new Map<string, Counted>();
  return {
    async countAttempts(counters) {
      const held = counters.map(({ subject, allowance }) => {
        const key = subject.toString("hex");
        return { key, allowance, counted: levels.get(key) ?? { level: 0, atMs: 0 } };
      });
      const waits = held.map(({ counted, allowance }) => toWaitSeconds(counted, allowance, nowMs()));
      if (Math.max(...waits) > 0) return Math.max(...waits);
      for (const { key, counted, allowance } of held)
        levels.set(key, countAttempt(counted, allowance, nowMs()));
      return 0;
    },
    async forgiveAttempts({ all, one }) {
      for (const subject of all) levels.delete(subject.toString("hex"));
      for (const key of one.map((subject) => subject.toString("hex"))) {
        const { level, atMs } = levels.get(key) ?? { level: 0, atMs: 0 };
        levels.set(key, { level: Math.max(0, level - 1), atMs });
      }
    },
  };
}

/** How many wrong passwords are checked until then, if each guesser tries again as soon as it may, in turns. */
export async function guessGreedily(guessers: readonly Guesser[], untilSeconds: number): Promise<number> {
  let nowMs = 0;
  let checked = 0;
  const store = makeAttemptMemory(() => nowMs);
  const nextMs = guessers.map(() => 0);
  while (nowMs < untilSeconds * 1000) {
    for (const [index, guesser] of guessers.entries()) {
      if ((nextMs[index] ?? 0) > nowMs) continue;
      try {
        await tryPassword(store, guesser, async () => {
          checked += 1;
          return false;
        });
      } catch (error) {
        if (!(error instanceof SignInThrottled)) throw error;
        nextMs[index] = nowMs + error.retryAfterSeconds * 1000;
      }
    }
    nowMs = Math.max(nowMs, Math.min(...nextMs));
  }
  return checked;
}
