import { signal } from "@preact/signals";
import { client } from "../account/api-client.ts";

/** Names of assets by their ids, as far as they were asked for; null for those that are gone. */
export const assetNames = signal<ReadonlyMap<string, string | null>>(new Map());

const PAGE_SIZE = 100;
/** Older assets are asked for one by one, so many at most. */
const SINGLE_MAX = 12;

function add(entries: readonly (readonly [string, string | null])[]): void {
  assetNames.value = new Map([...assetNames.value, ...entries]);
}

/** Tasks name their assets by id alone. The names of most are in the newest page of assets. */
export async function loadAssetNames(ids: readonly (string | undefined)[]): Promise<void> {
  const listMissing = () =>
    [...new Set(ids)].filter((id) => id !== undefined && !assetNames.value.has(id)) as string[];
  if (listMissing().length === 0) return;
  const { items } = await client.assets.list({ take: PAGE_SIZE }).page();
  add(items.map(({ id, name }) => [id, name]));
  await Promise.all(
    listMissing()
      .slice(0, SINGLE_MAX)
      .map(async (id) => {
        const found = await client.assets.get(id).catch(() => undefined);
        add([[id, found?.name ?? null]]);
      }),
  );
}
