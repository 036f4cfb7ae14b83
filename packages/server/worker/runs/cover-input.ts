import { EngineError } from "@stemwright/engine";
import { toMinutes } from "../../domain/credits/credit-amounts.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";

/** A metered client's credits, as a worker uses them. */
interface CreditCover {
  hasReservations(taskId: string): Promise<boolean>;
  /** Reserves credits for this many minutes, or for as many as the balance covers; returns how many. */
  coverMinutes(task: Pick<TaskRecord, "id" | "clientId">, minutes: number): Promise<number>;
}

export type CoverInputPorts = {
  credits: CreditCover;
  /** The length in the file's header, if it has one. */
  probeDuration(path: string): Promise<number | undefined>;
};

export const makeOverCredits = (coveredSeconds: number) =>
  new TargetFailure(
    "INPUT_OVER_CREDITS",
    `The input is longer than the ${coveredSeconds} s that the account's credits cover`,
  );

/**
 * Reserves a metered client's credits before work starts, and returns the longest input they cover. The length of an input by `url` was not
 * known when the Task was created. One extra minute is reserved if possible, since the length in a header may be an estimate; what is
 * not used is released at the end.
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
