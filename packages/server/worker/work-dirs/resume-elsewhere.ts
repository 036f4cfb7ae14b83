import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { within } from "../../domain/within.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** How long a stopping worker may take to store a checkpoint. */
const SAVE_LIMIT_MS = 120_000;
const MARKER_FILE = "checkpoint";

export type ResumePorts = {
  /** Undefined if workers share no store, or if checkpoints are turned off. */
  checkpoints?: Checkpoints | undefined;
  workDir: string;
  log: Pick<FastifyBaseLogger, "info" | "warn">;
};

export const toEngineDir = (taskDir: string) => join(taskDir, "engine");

/**
 * Copies the checkpoint another worker stored into the Task's folder, unless it came from this folder. If that fails the work is repeated,
 * which only costs time.
 */
export async function bringCheckpoint(ports: ResumePorts, task: TaskRecord, taskDir: string): Promise<void> {
  const { checkpoints, log } = ports;
  const { id: taskId, checkpointKey } = task;
  if (!checkpoints || checkpointKey === undefined) return;
  if ((await readMarker(taskDir)) === checkpointKey) return;
  try {
    if (await checkpoints.restore(checkpointKey, toEngineDir(taskDir)))
      log.info({ taskId }, "Task resumed from another worker's checkpoint");
    await writeMarker(taskDir, checkpointKey);
  } catch (error) {
    log.warn({ err: error, taskId }, "failed to read the checkpoint, starting over");
    await rm(toEngineDir(taskDir), { recursive: true, force: true });
  }
}

/** Stores the Task's checkpoints for the next worker, and returns the Task to the queue with their location. */
export async function giveBackWithCheckpoint(
  ports: ResumePorts & { reports: Pick<TaskReports, "giveBack"> },
  run: TaskRun,
): Promise<void> {
  const taskDir = join(ports.workDir, run.taskId);
  const previousKey = await readMarker(taskDir);
  const checkpointKey = await saveCheckpoint(ports, run, taskDir);
  await ports.reports.giveBack(run, { checkpointKey });
  if (previousKey !== undefined && checkpointKey !== undefined)
    await dropCheckpoint(ports, { id: run.taskId, checkpointKey: previousKey });
}

async function saveCheckpoint(
  { checkpoints, log }: ResumePorts,
  { taskId, token }: TaskRun,
  taskDir: string,
): Promise<string | undefined> {
  try {
    const saving = Promise.resolve(checkpoints?.save(toEngineDir(taskDir), token));
    const key = await within(SAVE_LIMIT_MS, saving);
    if (key !== undefined) await writeMarker(taskDir, key);
    return key;
  } catch (error) {
    log.warn({ err: error, taskId }, "failed to store the checkpoint");
    return undefined;
  }
}

/** Removes a checkpoint that is no longer needed. */
export async function dropCheckpoint(
  { checkpoints, log }: ResumePorts,
  { id: taskId, checkpointKey }: Pick<TaskRecord, "id" | "checkpointKey">,
): Promise<void> {
  if (checkpointKey === undefined) return;
  await checkpoints
    ?.discard(checkpointKey)
    .catch((error) => log.warn({ err: error, taskId }, "failed to remove a checkpoint"));
}

/** The checkpoint last restored into the folder or saved from it. */
const readMarker = (taskDir: string): Promise<string | undefined> =>
  readFile(join(taskDir, MARKER_FILE), "utf8").catch(() => undefined);

const writeMarker = (taskDir: string, key: string) =>
  writeFile(join(taskDir, MARKER_FILE), key, { mode: 0o600 });
