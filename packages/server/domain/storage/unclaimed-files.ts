import type { Blobs } from "../ports.ts";

/** Files that belong to nobody: not yet, as an upload that is no asset so far, or no longer. A sweep removes those that are due. */
export interface UnclaimedFiles {
  /** Writes down what is about to be stored: due in a day, unless it is claimed in the transaction that makes it visible. */
  announce(keyPrefix: string): Promise<void>;
  isUnclaimed(keyPrefix: string): Promise<boolean>;
  /** From here on nobody can claim the files; false where somebody has. */
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
