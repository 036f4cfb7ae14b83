import type { PageQuery } from "@stemwright/contract";
import type { Listed } from "../domain/ports.ts";

/** How many of a client's newest rows a filter searches: it reads row by row, and a client may have millions. */
export const MAX_FILTERED = 20_000;

/** A page of a list whose total is known. Nothing is read past the end: the database would walk all the rows it skips. */
export async function listPage<Item>(
  total: number,
  page: PageQuery,
  load: () => Promise<Item[]>,
): Promise<Listed<Item>> {
  return { items: page.skip >= total ? [] : await load(), total };
}
