import type pg from "pg";
import { SteadyClient } from "./steady-client.ts";

/** More texts than that are not ours any longer, but made of what clients send; they are then sent as they come. */
const STATEMENTS_MAX = 500;
/** "cached plan must not change result type": a newer release has changed a table under this connection. */
const FEATURE_NOT_SUPPORTED = "0A000";

/** pg says it in words alone. */
const READ_TIMEOUT = "Query read timeout";

const nameOfText = new Map<string, string>();
/** Raised when a table was changed: what was prepared before, on any connection, is left alone from then on. */
let epoch = 0;

function findName(text: string): string | undefined {
  if (!nameOfText.has(text) && nameOfText.size < STATEMENTS_MAX) nameOfText.set(text, `s${nameOfText.size}`);
  const known = nameOfText.get(text);
  return known && `${known}e${epoch}`;
}

/**
 * A connection that has each statement with parameters prepared once, under a name: PostgreSQL then neither reads nor plans it
 * again. One on which a query got no answer in time is closed: the answer might still come, in the middle of the next query's.
 */
export class PreparingClient extends SteadyClient {
  protected readonly prepares: boolean = true;

  // The library's query has nine signatures; the ones that give a promise are the ones that are changed.
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
      // The first to notice tells all others.
      if (name === findName(text)) epoch += 1;
      // Within a transaction, which has failed as a whole, this fails too.
      return await super.query(text, values).catch(() => Promise.reject(error));
    }
  }

  #fail(error: Error & { code?: string }): never {
    if (error.message === READ_TIMEOUT) void this.end();
    throw error;
  }
}

/** The same through a pooler that may run each transaction in another session, which knows no names of ours. */
export class PooledClient extends PreparingClient {
  protected override readonly prepares = false;
}
