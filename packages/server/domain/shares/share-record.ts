import type { TaskRecord } from "../tasks/task-record.ts";

export type ShareRecord = { id: string; createdAt: Date; expiresAt: Date };

export interface ShareStore {
  /** Undefined where the Task has as many as it may, or is gone. */
  insertShare(
    taskId: string,
    share: { id: string; tokenHash: Buffer; expiresInSeconds: number },
  ): Promise<ShareRecord | undefined>;
  /** Those that have not expired, newest first. */
  listShares(taskId: string): Promise<ShareRecord[]>;
  deleteShare(taskId: string, id: string): Promise<boolean>;
  /** The Task that a token shows; undefined when it is unknown, revoked or expired, or its client suspended. */
  findShared(tokenHash: Buffer): Promise<{ task: TaskRecord; expiresAt: Date } | undefined>;
}
