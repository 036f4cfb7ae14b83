import type { RequestOptions } from "../options.ts";
import { type Query, readJson, type Transport } from "./transport.ts";

const MAX_PAGE_SIZE = 100;

export type ListQuery = {
  /** Records to skip. */
  skip?: number;
  /** Page size, 1 to 100. */
  take?: number;
};

/** One page; `total` is the size of the whole list. */
export type Page<Item> = { items: Item[]; total: number };

/**
 * A paginated list, newest first. Iterate over all items with `for await`, or load a single page.
 *
 * @example
 * for await (const task of client.tasks.list()) console.log(task.id);
 * const { items, total } = await client.tasks.list({ skip: 20, take: 10 }).page();
 */
export class Listing<Item extends { id: string }> implements AsyncIterable<Item> {
  readonly #query: ListQuery;
  readonly #loadPage: (query: ListQuery) => Promise<Page<Item>>;

  constructor(query: ListQuery, loadPage: (query: ListQuery) => Promise<Page<Item>>) {
    this.#query = query;
    this.#loadPage = loadPage;
  }

  /** Loads the page given by `skip` and `take`. */
  page(): Promise<Page<Item>> {
    return this.#loadPage(this.#query);
  }

  /** Loads all pages. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  /**
   * Offsets shift when records are created or deleted during iteration. Items already yielded are skipped, and when the
   * total has shrunk the next page is read from an earlier offset.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { take = MAX_PAGE_SIZE, skip: firstSkip = 0 } = this.#query;
    const seen = new Set<string>();
    let skip = firstSkip;
    let lastTotal = 0;
    for (;;) {
      let page = await this.#loadPage({ skip, take });
      const gone = Math.min(lastTotal - page.total, skip - firstSkip);
      if (gone > 0) {
        skip -= gone;
        page = await this.#loadPage({ skip, take });
      }
      for (const item of page.items) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        yield item;
      }
      skip += page.items.length;
      lastTotal = page.total;
      if (page.items.length === 0 || skip >= lastTotal) return;
    }
  }
}

/** A listing for a route whose body is, or contains, an array. */
export function makeListing<Item extends { id: string }, Body = Item[]>(
  transport: Transport,
  list: {
    path: string;
    query?: ListQuery & Query;
    auth?: "legacyToken";
    toItems?: (body: Body) => Item[];
  },
  options: RequestOptions = {},
): Listing<Item> {
  const { path, query = {}, auth = "apiKey", toItems = (body) => body as unknown as Item[] } = list;
  return new Listing(query, (page) =>
    transport.send({ method: "GET", path, query: { ...query, ...page }, auth }, options, async (response) => {
      const items = toItems(await readJson<Body>(response));
      return { items, total: Number(response.headers.get("x-total-count") ?? Number.NaN) };
    }),
  );
}
