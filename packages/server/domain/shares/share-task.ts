import { hashKey, makeKeyToken } from "../accounts/key-secrets.ts";
import { makeId } from "../ids.ts";
import { Refusal } from "../refusal.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { SharedRecord, ShareRecord, ShareStore } from "./share-record.ts";

export async function shareTask(
  shares: ShareStore,
  task: Pick<TaskRecord, "id">,
  wanted: { expiresInSeconds: number; showsName: boolean },
): Promise<{ share: ShareRecord; token: string }> {
  const token = makeKeyToken();
  const share = await shares.insertShare(task.id, {
    id: makeId(),
    tokenHash: hashKey(token),
    ...wanted,
  });
  if (!share)
    throw new Refusal(
      "SHARES_TOO_MANY",
      "The Task has reached its limit of share links; revoke some of them first",
    );
  return { share, token };
}

/** The Task a link shows. The error does not reveal whether the link was unknown, revoked or expired. */
export async function getShared(shares: ShareStore, token: string): Promise<SharedRecord> {
  const shared = await shares.findShared(hashKey(token));
  if (shared) return shared;
  throw new Refusal(
    "SHARE_UNKNOWN",
    "The share link has expired or was revoked, or is not complete; ask whoever sent it for a new one",
  );
}
