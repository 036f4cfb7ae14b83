import type { Blobs } from "../ports.ts";

/** Files without an owner: not yet, as an upload that is not an asset so far, or no longer. A sweep removes those that are due. */
export interface UnclaimedFiles {
  /** Registers files about to be stored: due for removal in a day, unless claimed in the transaction that makes them visible. */
  announce(keyPrefix: string): Promise<void>;
  isUnclaimed(keyPrefix: string): Promise<boolean>;
  /** From here on the files can't be claimed; false if they have been. */
  takeForRemoval(keyPrefix: string): Promise<boolean>;
  /** The files are gone. */
  forget(keyPrefix: string): Promise<void>;
}

/** Removes files, unless they have become somebody's: after a commit whose answer was lost, only the database knows. */
export async function discardFiles(
  { blobs, unclaimed }: { blobs: Blobs; unclaimed: UnclaimedFiles },
  keyPrefix: string,
): Promise<void> {
  if (!(await unclaimed.takeForRemoval(keyPrefix))) return;
  await blobs.delete(keyPrefix);
  await unclaimed.forget(keyPrefix);
}
