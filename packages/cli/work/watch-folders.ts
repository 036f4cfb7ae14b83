import { stat, watch } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { CliError } from "../cli-error.ts";
import { listInputs } from "./list-inputs.ts";

/** A file that has not changed for this long is whole. */
const SETTLE_MS = 2000;

/** The inputs of the folders, again after each change that has settled. Finished inputs are skipped because of their outputs. */
export async function* watchFolders(
  given: readonly string[],
  { recursive, signal }: { recursive: boolean; signal: AbortSignal },
): AsyncGenerator<string[]> {
  const kinds = await Promise.all(
    given.map(async (path) => [path, (await stat(path)).isDirectory()] as const),
  );
  const folders = kinds.flatMap(([path, isFolder]) => (isFolder ? [path] : []));
  if (folders.length === 0) throw new CliError("USAGE", "--watch needs a folder to watch.");
  const changes = new Changes();
  for (const folder of folders) void forward(folder, { recursive, signal }, changes);
  // Files that arrived during the first inputs were not noticed.
  changes.note();
  while (await changes.next(signal)) {
    await settle(folders, recursive, signal);
    if (signal.aborted) return;
    yield await listInputs(folders, { recursive }).catch(() => []);
  }
}

/** Whether anything changed, however often. */
class Changes {
  #changed = Promise.withResolvers<boolean>();

  note(): void {
    this.#changed.resolve(true);
  }

  async next(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    signal.addEventListener("abort", () => this.#changed.resolve(false), { once: true });
    const hasChanged = await this.#changed.promise;
    this.#changed = Promise.withResolvers();
    return hasChanged;
  }
}

async function forward(
  folder: string,
  options: { recursive: boolean; signal: AbortSignal },
  changes: Changes,
): Promise<void> {
  try {
    for await (const _ of watch(folder, options)) changes.note();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

/** Waits until no input is growing. */
async function settle(folders: readonly string[], recursive: boolean, signal: AbortSignal): Promise<void> {
  const look = async () => {
    const inputs = await listInputs(folders, { recursive }).catch(() => []);
    return JSON.stringify(
      await Promise.all(inputs.map(async (path) => [path, (await stat(path).catch(() => undefined))?.size])),
    );
  };
  for (let before = await look(); !signal.aborted; ) {
    await wait(SETTLE_MS, undefined, { signal }).catch(() => {});
    const now = await look();
    if (now === before) return;
    before = now;
  }
}
