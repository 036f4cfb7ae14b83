import type { TaskRecord } from "../tasks/task-record.ts";

export type ShareRecord = { id: string; createdAt: Date; expiresAt: Date };

export interface ShareStore {
  /** Undefined if the Task has the maximum number or is gone. */
  insertShare(
    taskId: string,
    share: { id: string; tokenHash: Buffer; expiresInSeconds: number },
  ): Promise<ShareRecord | undefined>;
  /** Unexpired ones, newest first. */
  listShares(taskId: string): Promise<ShareRecord[]>;
  deleteShare(taskId: string, id: string): Promise<boolean>;
  /** The Task a token shows; undefined if it is unknown, revoked or expired, or its client suspended. */
  findShared(tokenHash: Buffer): Promise<{ task: TaskRecord; expiresAt: Date } | undefined>;
}
