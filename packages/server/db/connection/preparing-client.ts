import type pg from "pg";
import { SteadyClient } from "./steady-client.ts";

/** More distinct texts than that must be generated from client input; those are sent unprepared. */
const MAX_STATEMENTS = 500;
/** "cached plan must not change result type": a newer release has changed a table under this connection. */
const FEATURE_NOT_SUPPORTED = "0A000";

const nameOfText = new Map<string, string>();
/** Incremented when a table was changed: statements prepared before that, on any connection, are no longer used. */
let epoch = 0;

function findName(text: string): string | undefined {
  if (!nameOfText.has(text) && nameOfText.size < MAX_STATEMENTS) nameOfText.set(text, `s${nameOfText.size}`);
  const known = nameOfText.get(text);
  return known && `${known}e${epoch}`;
}

/** Prepares each statement with parameters once, under a name, so that PostgreSQL neither parses nor plans it again. */
export class PreparingClient extends SteadyClient {
  protected readonly prepares: boolean = true;

  protected override send(given: unknown[]): unknown {
    const [text, values] = given;
    const isWithValues = typeof text === "string" && Array.isArray(values) && given.length === 2;
    return isWithValues ? this.#sendPrepared(text, values) : super.send(given);
  }

  async #sendPrepared(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const plain = () => super.send([text, values]) as Promise<pg.QueryResult>;
    const name = this.prepares ? findName(text) : undefined;
    if (name === undefined) return await plain();
    try {
      return await (super.send([{ name, text, values }]) as Promise<pg.QueryResult>);
    } catch (error) {
      if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) throw error;
      // The first to notice informs all others.
      if (name === findName(text)) epoch += 1;
      // Inside a transaction, which has already failed, this fails too.
      return await plain().catch(() => Promise.reject(error));
    }
  }
}

/** For a pooler that may run each transaction in another session, where our statement names do not exist. */
export class PooledClient extends PreparingClient {
  protected override readonly prepares = false;
}
