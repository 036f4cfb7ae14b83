import type { WordsLines } from "./words-lines.ts";

/** The words of a target as this browser has them. */
export type WordsDraft = {
  /** The service's revision that it is based on. */
  revision: number;
  lines: WordsLines;
  /** For undo. */
  past: readonly WordsLines[];
  /** Whether the service has it. */
  isSaved: boolean;
  atMs: number;
};

export type WordsDrafts = {
  load(target: string): Promise<WordsDraft | undefined>;
  save(target: string, draft: WordsDraft): Promise<void>;
  remove(target: string): Promise<void>;
};

const STORE = "drafts";
const KEPT_MS = 30 * 86_400_000;

const toPromise = <Value>(request: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opening: Promise<IDBDatabase> | undefined;
async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open("stemwright-words", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  const database = await toPromise(request);
  const store = database.transaction(STORE, "readwrite").objectStore(STORE);
  const [keys, drafts] = await Promise.all([toPromise(store.getAllKeys()), toPromise(store.getAll())]);
  for (const [n, { atMs }] of (drafts as WordsDraft[]).entries())
    if (atMs < Date.now() - KEPT_MS) store.delete(keys[n] as string);
  return database;
}

async function use<Value>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<Value>) {
  opening ??= open();
  const database = await opening;
  return await toPromise(run(database.transaction(STORE, mode).objectStore(STORE)));
}

/** In IndexedDB: a closed page or a crash loses nothing that the service does not have yet. Where the browser has none, edits last as long as the page. */
export const wordsDrafts: WordsDrafts = {
  load: (target) =>
    use("readonly", (store) => store.get(target) as IDBRequest<WordsDraft | undefined>).catch(
      () => undefined,
    ),
  save: async (target, draft) => {
    await use("readwrite", (store) => store.put(draft, target)).catch(() => {});
  },
  remove: async (target) => {
    await use("readwrite", (store) => store.delete(target)).catch(() => {});
  },
};
