import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";

/** The Task turned out to be a long one, and those have all the workers they may have: it waits until one of them is free. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";

  constructor() {
    super("no worker is free for another long Task");
  }
}

export type NoteLengthPorts = {
  reports: Pick<TaskReports, "setLength">;
  /** The length a file says it has; undefined when it does not say. */
  probeDuration(path: string): Promise<number | undefined>;
  isLong(audioSeconds: number): boolean;
};

/** Learns how long an input is that nobody had looked into when the Task was created. */
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
