import { Refusal } from "./refusal.ts";
/** Limits concurrency. */
export interface Gate {
  /** Whether a new request would be refused. */
  isFull(): boolean;
  /** Resolves with a release function once there is a place; one name gets at most half of the places. */
  enter(name?: string): Promise<() => void>;
}

type Waiter = { name: string | undefined; admit(): void };

/**
 * If all places are taken, a few requests wait briefly and the rest are refused at once. Waiting longer than the client does would produce a result nobody
 * reads and use memory that others need.
 */
export function makeGate(options: { max: number; waitersMax: number; waitMs: number }): Gate {
  const { max, waitersMax, waitMs } = options;
  const shareMax = Math.ceil(max / 2);
  const held = new Map<string, number>();
  const waiters = new Set<Waiter>();
  let taken = 0;

  const makeRefusal = () =>
    new Refusal("OVERLOADED", "The service is overloaded; retry after the time in Retry-After");
  const count = (name: string | undefined, change: number) => {
    if (name === undefined) return;
    const left = (held.get(name) ?? 0) + change;
    if (left === 0) held.delete(name);
    else held.set(name, left);
  };
  const hasPlaceFor = (name: string | undefined) =>
    taken < max && (name === undefined || (held.get(name) ?? 0) < shareMax);

  function admitNext(): void {
    for (const waiter of waiters) {
      if (taken >= max) return;
      if (!hasPlaceFor(waiter.name)) continue;
      waiters.delete(waiter);
      waiter.admit();
    }
  }

  function take(name: string | undefined): () => void {
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
    isFull: () => taken >= max && waiters.size >= waitersMax,
    async enter(name) {
      if (hasPlaceFor(name)) return take(name);
      if (waiters.size >= waitersMax) throw makeRefusal();
      const admitted = Promise.withResolvers<() => void>();
      const waiter: Waiter = { name, admit: () => admitted.resolve(take(name)) };
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        admitted.reject(makeRefusal());
      }, waitMs);
      waiters.add(waiter);
      return await admitted.promise.finally(() => clearTimeout(timer));
    },
  };
}
