import type { TaskRecord } from "../tasks/task-record.ts";

export type ShareRecord = { id: string; createdAt: Date; expiresAt: Date; showsName: boolean };

/** What the link of a share opens. */
export type SharedRecord = { task: TaskRecord; share: ShareRecord };

export interface ShareStore {
  /** Undefined if the Task has the maximum number or is gone. */
  insertShare(
    taskId: string,
    share: { id: string; tokenHash: Buffer; expiresInSeconds: number; showsName: boolean },
  ): Promise<ShareRecord | undefined>;
  /** Unexpired ones, newest first. */
  listShares(taskId: string): Promise<ShareRecord[]>;
  deleteShare(taskId: string, id: string): Promise<boolean>;
  /** The share with that id; undefined if it is revoked or expired, or its client suspended. */
  findOpenShare(id: string): Promise<ShareRecord | undefined>;
  /** The Task a token shows; undefined if it is unknown, revoked or expired, or its client suspended. */
  findShared(tokenHash: Buffer): Promise<SharedRecord | undefined>;
}
