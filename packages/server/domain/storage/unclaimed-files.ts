import type { Blobs } from "../ports.ts";

/** Files without an owner: uploads that are not assets yet, or files of deleted ones. A sweep removes those that are due. */
export interface UnclaimedFiles {
  /** Registers files about to be stored: due for removal in a day, unless claimed in the transaction that makes them visible. May be repeated. */
  announce(keyPrefix: string): Promise<void>;
  isUnclaimed(keyPrefix: string): Promise<boolean>;
  /** From now on the files can't be claimed; false if they already were. */
  takeForRemoval(keyPrefix: string): Promise<boolean>;
  forget(keyPrefix: string): Promise<void>;
}

/** Removes files unless they were claimed: if the answer to a commit was lost, only the database knows. */
export async function discardFiles(
  { blobs, unclaimed }: { blobs: Blobs; unclaimed: UnclaimedFiles },
  keyPrefix: string,
): Promise<void> {
  if (!(await unclaimed.takeForRemoval(keyPrefix))) return;
  await blobs.delete(keyPrefix);
  await unclaimed.forget(keyPrefix);
}
