import { EngineError } from "@stemwright/engine";
import { toMinutes } from "../../domain/credits/credit-amounts.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";

/** What a worker asks of a metered client's credits before it begins. */
interface CreditCover {
  hasReservations(taskId: string): Promise<boolean>;
  /** Sets aside credits for so many minutes, or for as many as the account pays for; returns how many. */
  coverMinutes(task: Pick<TaskRecord, "id" | "clientId">, minutes: number): Promise<number>;
}

export type CoverInputPorts = {
  credits: CreditCover;
  /** The length a file says it has; undefined when it does not say. */
  probeDuration(path: string): Promise<number | undefined>;
};

export const makeOverCredits = (coveredSeconds: number) =>
  new TargetFailure(
    "INPUT_OVER_CREDITS",
    `The input is longer than the ${coveredSeconds} s that the account's credits cover`,
  );

/**
 * The longest input that a metered client's credits cover, set aside before any work is done: a Task by `url` was taken in
 * before anybody knew its length. One minute more than the file says is set aside where it can be, since a header's length
 * may be a guess; what is not used is given free at the end.
 */
export async function coverInput(
  ports: CoverInputPorts,
  task: TaskRecord,
  options: { inputPath: string; limitSeconds: number },
): Promise<number> {
  if (!(await ports.credits.hasReservations(task.id))) return Number.POSITIVE_INFINITY;
  const durationSeconds = await ports.probeDuration(options.inputPath);
  if (durationSeconds !== undefined && durationSeconds > options.limitSeconds)
    throw new EngineError("input-too-long", `The input is longer than ${options.limitSeconds} seconds.`);
  const wanted =
    durationSeconds === undefined ? toMinutes(options.limitSeconds) : toMinutes(durationSeconds) + 1;
  const coveredSeconds = 60 * (await ports.credits.coverMinutes(task, wanted));
  if (durationSeconds !== undefined && durationSeconds > coveredSeconds)
    throw makeOverCredits(coveredSeconds);
  return coveredSeconds;
}
