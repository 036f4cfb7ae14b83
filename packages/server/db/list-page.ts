import type { Page } from "@stemwright/contract";
import type { Listed } from "../domain/ports.ts";

/** A page of a list whose total is known. Behind the end nothing is read: the database would walk all it is to skip. */
export async function listPage<Item>(
  total: number,
  page: Page,
  load: () => Promise<Item[]>,
): Promise<Listed<Item>> {
  return { items: page.skip >= total ? [] : await load(), total };
}
