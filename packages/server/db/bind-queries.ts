import type { DatabaseHandle } from "./database.ts";

type Query = (db: DatabaseHandle, ...args: never[]) => unknown;
type Bound<Given extends Query> = Given extends (db: DatabaseHandle, ...args: infer Args) => infer Result
  ? (...args: Args) => Result
  : never;

/** Binds queries to a database handle, as the domain's ports need them. */
export function bindQueries<Queries extends Record<string, Query>>(
  db: DatabaseHandle,
  queries: Queries,
): { [Name in keyof Queries]: Bound<Queries[Name]> } {
  const bound = Object.entries(queries).map(([name, query]) => [name, query.bind(undefined, db)]);
  return Object.fromEntries(bound);
}
