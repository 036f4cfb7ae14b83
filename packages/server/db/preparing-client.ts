import type pg from "pg";
import { SteadyClient } from "./steady-client.ts";

/** More texts than that are not ours any longer, but made of what clients send; they are then sent as they come. */
const STATEMENTS_MAX = 500;
/** "cached plan must not change result type": a newer release has changed a table under this connection. */
const FEATURE_NOT_SUPPORTED = "0A000";

/** pg says it in words alone. */
const READ_TIMEOUT = "Query read timeout";

const nameOfText = new Map<string, string>();

function findName(text: string): string | undefined {
  const known = nameOfText.get(text);
  if (known !== undefined || nameOfText.size >= STATEMENTS_MAX) return known;
  const name = `s${nameOfText.size}`;
  nameOfText.set(text, name);
  return name;
}

/**
 * A connection that has each statement with parameters prepared once, under a name: PostgreSQL then neither reads nor plans it
 * again. One on which a query got no answer in time is closed: the answer might still come, in the middle of the next query's.
 */
export class PreparingClient extends SteadyClient {
  #isPreparing = true;

  // The library's query has nine signatures; the ones that give a promise are the ones that are changed.
  override query = ((...given: unknown[]) => {
    const [text, values] = given;
    const isWithValues = typeof text === "string" && Array.isArray(values) && given.length === 2;
    const name = isWithValues && this.#isPreparing ? findName(text) : undefined;
    const result: unknown =
      name === undefined
        ? super.query(...(given as [string]))
        : super.query({ name, text: text as string, values: values as unknown[] });
    return result instanceof Promise ? result.catch((error) => this.#fail(error)) : result;
  }) as pg.Client["query"];

  #fail(error: Error & { code?: string }): never {
    if (error.code === FEATURE_NOT_SUPPORTED) this.#isPreparing = false;
    if (error.message === READ_TIMEOUT) void this.end();
    throw error;
  }
}
