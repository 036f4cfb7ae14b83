/** How many keys that were found valid are remembered. */
const MAX_KNOWN = 10_000;
/** Look-ups of unknown keys at once for each address; each process exceeds the limit by at most as many. */
const AT_ONCE = 5;
/** If the database is this slow, the look-up itself is to say so. */
const WAIT_MS = 2000;

type Pending = { lookUps: number; waiters: Set<() => void> };

/**
 * Limits look-ups of keys that may be invented. An address may send a number of wrong keys; further unknown ones are refused without a look-up; while some
 * are looked up, others wait. Keys that were found valid before pass at once: nobody behind the same address can shut them out.
 */
export function makeLookUpLimit(options: {
  /** How many wrong keys the address may still send for now. */
  readLeft(address: string): number;
  isWrong(error: unknown): boolean;
  countWrong(address: string): Promise<void>;
  makeError(): Error;
}) {
  /** Hashes of keys, the least recently used first. */
  const known = new Set<string>();
  const pending = new Map<string, Pending>();

  function remember(key: string): void {
    known.delete(key);
    known.add(key);
    const [oldest] = known;
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  /** Returns the function that frees the place. */
  async function enter(address: string): Promise<() => void> {
    const here = pending.get(address) ?? { lookUps: 0, waiters: new Set() };
    pending.set(address, here);
    for (;;) {
      const left = options.readLeft(address);
      if (left <= 0) {
        wakeNext(address, here);
        throw options.makeError();
      }
      if (here.lookUps < Math.min(left, AT_ONCE)) {
        here.lookUps += 1;
        wakeNext(address, here);
        return () => {
          here.lookUps -= 1;
          wakeNext(address, here);
        };
      }
      if (!(await waitTurn(here))) return () => {};
    }
  }

  /** Whoever is woken finds out whether there is a place. */
  function wakeNext(address: string, here: Pending): void {
    const [next] = here.waiters;
    if (next) next();
    else if (here.lookUps === 0) pending.delete(address);
  }

  /** False after too long a wait. */
  async function waitTurn({ waiters }: Pending): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>();
    const end = (isWoken: boolean) => {
      waiters.delete(wake);
      clearTimeout(timer);
      turn.resolve(isWoken);
    };
    const wake = () => end(true);
    const timer = setTimeout(end, WAIT_MS, false);
    waiters.add(wake);
    return await turn.promise;
  }

  return async <Found>(
    { address, key }: { address: string; key: string },
    lookUp: () => Promise<Found | null>,
  ): Promise<Found | null> => {
    const leave = known.has(key) ? undefined : await enter(address);
    try {
      const found = await lookUp();
      if (found !== null) remember(key);
      return found;
    } catch (error) {
      if (options.isWrong(error)) {
        known.delete(key);
        await options.countWrong(address);
      }
      throw error;
    } finally {
      leave?.();
    }
  };
}
