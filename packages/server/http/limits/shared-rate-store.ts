import type { RateCounts } from "../../domain/requests/rate-counts.ts";
import { within } from "../../domain/within.ts";

/** The share of the limit a process allows without asking the database, so that occasional callers cost no query. */
const FREE_SHARE = 1 / 12;
/** The share of the limit a process takes from the database at once for a subject that needs more. */
const TAKEN_SHARE = 1 / 6;
/** If the database takes longer than this, each process counts on its own for a while. */
const ANSWER_LIMIT_MS = 250;
const AWAY_MS = 1000;
const MAX_SUBJECTS = 10_000;

type Window = {
  endsAtMs: number;
  /** Requests this process has seen. */
  used: number;
  /** How many requests, past and future, this process has already counted in the database. */
  taken: number;
  /** What all processes had taken together when we last asked. */
  total: number;
  isExhausted: boolean;
};
type Ask = { window: Window; wanted: number };
type Counted = { current: number; ttl: number };
type Settings = { max: number; windowMs: number };

/**
 * Counts requests across all processes, in the database. A process takes several of a subject's requests at a time, and everything
 * asked for meanwhile goes into the next statement. A subject can exceed its limit by at most a twelfth for each further process
 * it calls. While the database is unavailable, each process counts on its own.
 */
export function makeRateCounter(counts: RateCounts, onAway: (error: unknown) => void) {
  const windows = new Map<string, Window>();
  const underWay = new Map<string, Promise<void>>();
  let awayUntilMs = 0;
  let next: { asks: Map<string, Ask>; answered: Promise<void> } | undefined;
  let running: Promise<void> = Promise.resolve();

  function openWindow(subject: string, windowMs: number): Window {
    const known = windows.get(subject);
    const nowMs = Date.now();
    if (known && known.endsAtMs > nowMs) return known;
    const opened = { endsAtMs: nowMs + windowMs, used: 0, taken: 0, total: 0, isExhausted: false };
    windows.delete(subject);
    windows.set(subject, opened);
    const [oldest] = windows.keys();
    if (windows.size > MAX_SUBJECTS && oldest !== undefined) windows.delete(oldest);
    return opened;
  }

  /** Joins the statement after the one in flight. */
  function addToNext(subject: string, ask: Ask, settings: Settings): Promise<void> {
    if (!next) {
      const mine = { asks: new Map<string, Ask>(), answered: Promise.resolve() };
      mine.answered = running.then(async () => {
        next = undefined;
        await send(mine.asks, settings);
      });
      running = mine.answered;
      next = mine;
    }
    next.asks.set(subject, ask);
    return next.answered;
  }

  async function send(batch: ReadonlyMap<string, Ask>, { max, windowMs }: Settings): Promise<void> {
    try {
      const asked = new Map([...batch].map(([subject, { wanted }]) => [subject, wanted]));
      const answers = await within(ANSWER_LIMIT_MS, counts.add(asked, windowMs));
      for (const [subject, { window, wanted }] of batch) {
        const answer = answers.get(subject);
        if (!answer) continue;
        window.taken += Math.max(0, Math.min(wanted, max - (answer.total - wanted)));
        window.total = Math.min(max, answer.total);
        window.isExhausted = answer.total >= max;
        window.endsAtMs = Date.now() + answer.msLeft;
      }
    } catch (error) {
      awayUntilMs = Date.now() + AWAY_MS;
      onAway(error);
    } finally {
      for (const subject of batch.keys()) underWay.delete(subject);
    }
  }

  async function takeMore(subject: string, window: Window, settings: Settings): Promise<void> {
    const wanted = window.used - window.taken + Math.ceil(settings.max * TAKEN_SHARE) - 1;
    const answered = underWay.get(subject) ?? addToNext(subject, { window, wanted }, settings);
    underWay.set(subject, answered);
    await answered;
  }

  const isAlone = () => Date.now() < awayUntilMs;

  /** How much of the limit is used once this process has seen `used` requests. */
  function toCounted({ endsAtMs, taken, total }: Window, used: number, max: number): Counted {
    const ttl = Math.max(0, endsAtMs - Date.now());
    if (isAlone() || used <= max * FREE_SHARE) return { current: used, ttl };
    return { current: used > taken ? max + 1 : total - (taken - used), ttl };
  }

  /** How much of the limit is used as far as this process knows, without counting anything. */
  function read(subject: string, { max }: Pick<Settings, "max">): Counted {
    const window = windows.get(subject);
    if (!window || window.endsAtMs <= Date.now()) return { current: 0, ttl: 0 };
    return toCounted(window, window.used, max);
  }

  /** How much of the limit is used, this request included, and how long the window still lasts. */
  async function count(subject: string, settings: Settings): Promise<Counted> {
    const { max, windowMs } = settings;
    const window = openWindow(subject, windowMs);
    window.used += 1;
    const mine = window.used;
    while (mine > max * FREE_SHARE && mine > window.taken && !window.isExhausted && !isAlone())
      await takeMore(subject, window, settings);
    return toCounted(window, mine, max);
  }

  return { count, read };
}
export type RateCounter = ReturnType<typeof makeRateCounter>;

/** The counter as a store for @fastify/rate-limit. */
export function makeRateStore({ count }: Pick<RateCounter, "count">) {
  return class {
    incr(
      subject: string,
      callback: (error: Error | null, result?: Counted) => void,
      windowMs: number,
      max: number,
    ): void {
      count(subject, { max, windowMs }).then(
        (counted) => callback(null, counted),
        (error: Error) => callback(error),
      );
    }
    child(): this {
      return this;
    }
  };
}
