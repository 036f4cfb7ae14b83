import type pg from "pg";
import { SteadyClient } from "./steady-client.ts";

/** More distinct texts than that must be generated from client input; those are sent unprepared. */
const STATEMENTS_MAX = 500;
/** "cached plan must not change result type": a newer release has changed a table under this connection. */
const FEATURE_NOT_SUPPORTED = "0A000";

/** pg has no error code for it. */
const READ_TIMEOUT = "Query read timeout";

const nameOfText = new Map<string, string>();
/** Incremented when a table was changed: statements prepared before that, on any connection, are no longer used. */
let epoch = 0;

function findName(text: string): string | undefined {
  if (!nameOfText.has(text) && nameOfText.size < STATEMENTS_MAX) nameOfText.set(text, `s${nameOfText.size}`);
  const known = nameOfText.get(text);
  return known && `${known}e${epoch}`;
}

/**
 * Prepares each statement with parameters once, under a name, so that PostgreSQL neither parses nor plans it again. A connection whose query timed out is
 * closed: the late answer could arrive during the next query.
 */
export class PreparingClient extends SteadyClient {
  protected readonly prepares: boolean = true;

  // The library's query has nine overloads; only those that return a promise are replaced.
  override query = ((...given: unknown[]) => {
    const [text, values] = given;
    const isWithValues = typeof text === "string" && Array.isArray(values) && given.length === 2;
    const result: unknown = isWithValues
      ? this.#queryPrepared(text, values)
      : super.query(...(given as [string]));
    return result instanceof Promise ? result.catch((error) => this.#fail(error)) : result;
  }) as pg.Client["query"];

  async #queryPrepared(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.prepares ? findName(text) : undefined;
    if (name === undefined) return await super.query(text, values);
    try {
      return await super.query({ name, text, values });
    } catch (error) {
      if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) throw error;
      // The first to notice informs all others.
      if (name === findName(text)) epoch += 1;
      // Inside a transaction, which has already failed, this fails too.
      return await super.query(text, values).catch(() => Promise.reject(error));
    }
  }

  #fail(error: Error & { code?: string }): never {
    if (error.message === READ_TIMEOUT) void this.end();
    throw error;
  }
}

/** For a pooler that may run each transaction in another session, where our statement names do not exist. */
export class PooledClient extends PreparingClient {
  protected override readonly prepares = false;
}
