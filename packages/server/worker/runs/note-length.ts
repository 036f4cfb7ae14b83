import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";

/** The Task turned out to be long, and long Tasks already have all the workers they may use. It waits for one of them. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";

  constructor() {
    super("no worker is free for another long Task");
  }
}

export type NoteLengthPorts = {
  reports: Pick<TaskReports, "setLength">;
  /** The length in the file's header, if it has one. */
  probeDuration(path: string): Promise<number | undefined>;
  isLong(audioSeconds: number): boolean;
};

/** Records the length of an input that was not probed when the Task was created. */
export async function noteLength(
  ports: NoteLengthPorts,
  { task, run, inputPath }: { task: TaskRecord; run: TaskRun; inputPath: string },
): Promise<void> {
  if (task.audioSeconds !== undefined) return;
  const audioSeconds = await ports.probeDuration(inputPath);
  if (audioSeconds === undefined) return;
  const hasRoom = await ports.reports.setLength(run, { audioSeconds, isLong: ports.isLong(audioSeconds) });
  if (!hasRoom) throw new NoRoom();
}
