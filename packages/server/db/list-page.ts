import type { Page } from "@stemwright/contract";
import type { Listed } from "../domain/ports.ts";

/** A page of a list whose total is known. Nothing is read past the end: the database would walk all the rows it skips. */
export async function listPage<Item>(
  total: number,
  page: Page,
  load: () => Promise<Item[]>,
): Promise<Listed<Item>> {
  return { items: page.skip >= total ? [] : await load(), total };
}
