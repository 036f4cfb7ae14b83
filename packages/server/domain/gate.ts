import { Refusal } from "./refusal.ts";

/** Limits concurrency. */
export interface Gate {
  /** Whether a new request would be refused. */
  isFull(): boolean;
  /** Resolves with a release function once there is a place; one name gets its share of the places at most, and half of those to wait in. */
  enter(name?: string): Promise<() => void>;
}

type Name = string | undefined;
type Waiter = { admit(): void };

/**
 * If all places are taken, a few requests wait briefly and the rest are refused at once. Waiting longer than the client does would produce a result nobody
 * reads and use memory that others need. Those who wait take turns by name, so that nobody's requests stand behind all of another's.
 */
export function makeGate(options: {
  max: number;
  waitersMax: number;
  waitMs: number;
  /** The places of one name; half of them by default. */
  shareMax?: number;
}): Gate {
  const { max, waitersMax, waitMs, shareMax = Math.ceil(max / 2) } = options;
  const waitersShareMax = Math.ceil(waitersMax / 2);
  const held = new Map<Name, number>();
  /** In order of turns. */
  const queues = new Map<Name, Set<Waiter>>();
  let [taken, waiting] = [0, 0];

  const makeRefusal = () =>
    new Refusal("OVERLOADED", "The service is overloaded; retry after the time in Retry-After");
  const count = (name: Name, change: number) => {
    const left = (held.get(name) ?? 0) + change;
    if (left === 0) held.delete(name);
    else held.set(name, left);
  };
  const hasPlaceFor = (name: Name) => taken < max && (name === undefined || (held.get(name) ?? 0) < shareMax);
  const hasRoomToWait = (name: Name) =>
    waiting < waitersMax && (name === undefined || (queues.get(name)?.size ?? 0) < waitersShareMax);

  function addWaiter(name: Name, waiter: Waiter): void {
    waiting += 1;
    queues.set(name, (queues.get(name) ?? new Set()).add(waiter));
  }

  function removeWaiter(name: Name, waiter: Waiter): void {
    const queue = queues.get(name);
    if (!queue?.delete(waiter)) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(name);
  }

  function admitNext(): void {
    for (const [name, queue] of queues) {
      if (taken >= max) return;
      const [waiter] = queue;
      if (waiter === undefined || !hasPlaceFor(name)) continue;
      removeWaiter(name, waiter);
      // Behind the others; the loop comes back to it.
      if (queues.delete(name)) queues.set(name, queue);
      waiter.admit();
    }
  }

  function take(name: Name): () => void {
    taken += 1;
    count(name, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      taken -= 1;
      count(name, -1);
      admitNext();
    };
  }

  return {
    isFull: () => taken >= max && waiting >= waitersMax,
    async enter(name) {
      if (hasPlaceFor(name)) return take(name);
      if (!hasRoomToWait(name)) throw makeRefusal();
      const admitted = Promise.withResolvers<() => void>();
      const waiter: Waiter = { admit: () => admitted.resolve(take(name)) };
      const timer = setTimeout(() => {
        removeWaiter(name, waiter);
        admitted.reject(makeRefusal());
      }, waitMs);
      addWaiter(name, waiter);
      return await admitted.promise.finally(() => clearTimeout(timer));
    },
  };
}
