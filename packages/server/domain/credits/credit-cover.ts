import type { TaskRecord } from "../tasks/task-record.ts";

/** What a worker asks of a metered client's credits before it begins. */
export interface CreditCover {
  hasReservations(taskId: string): Promise<boolean>;
  /** Sets aside credits for so many minutes, or for as many as the account pays for; returns how many. */
  coverMinutes(task: Pick<TaskRecord, "id" | "clientId">, minutes: number): Promise<number>;
}
