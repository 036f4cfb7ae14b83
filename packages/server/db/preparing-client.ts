import pg from "pg";

/** More texts than that are not ours any longer, but made of what clients send; they are then sent as they come. */
const STATEMENTS_MAX = 500;
/** "cached plan must not change result type": a newer release has changed a table under this connection. */
const FEATURE_NOT_SUPPORTED = "0A000";

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
 * again.
 */
export class PreparingClient extends pg.Client {
  #isPreparing = true;

  // The library's query has nine signatures; the one with text and values is the one that is changed.
  override query = ((...given: unknown[]) => {
    const [text, values] = given;
    const name =
      this.#isPreparing && typeof text === "string" && Array.isArray(values) ? findName(text) : undefined;
    if (name === undefined || given.length !== 2) return super.query(...(given as [string]));
    return super.query({ name, text: text as string, values: values as unknown[] }).catch((error) => {
      if (error.code === FEATURE_NOT_SUPPORTED) this.#isPreparing = false;
      throw error;
    });
  }) as pg.Client["query"];
}
