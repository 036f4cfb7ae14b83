import { signal } from "@preact/signals";
import { apiClient } from "../account/api-client.ts";

/** Asset names by id, as far as loaded; null for deleted assets. */
export const assetNames = signal<ReadonlyMap<string, string | null>>(new Map());

const PAGE_SIZE = 100;
/** Limit for older assets, which are loaded one by one. */
const MAX_SINGLE = 12;

function add(entries: readonly (readonly [string, string | null])[]): void {
  assetNames.value = new Map([...assetNames.value, ...entries]);
}

/** Tasks name their assets by id alone. The names of most are in the newest page of assets. */
export async function loadAssetNames(ids: readonly (string | undefined)[]): Promise<void> {
  const listMissing = () =>
    [...new Set(ids)].filter((id) => id !== undefined && !assetNames.value.has(id)) as string[];
  if (listMissing().length === 0) return;
  const { items } = await apiClient.assets.list({ take: PAGE_SIZE }).page();
  add(items.map(({ id, name }) => [id, name]));
  await Promise.all(
    listMissing()
      .slice(0, MAX_SINGLE)
      .map(async (id) => {
        const found = await apiClient.assets.get(id).catch(() => undefined);
        add([[id, found?.name ?? null]]);
      }),
  );
}
