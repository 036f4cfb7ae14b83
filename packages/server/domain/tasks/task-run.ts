/** One worker's work at a Task, from the claim to its end. What it writes counts only while the Task has its token. */
export type TaskRun = { taskId: string; token: string };

/** The Task is no longer this run's: another worker goes on with it, and this one has to leave everything as it is. */
export class RunLost extends Error {
  override readonly name = "RunLost";

  constructor() {
    super("the Task was taken over");
  }
}

/** Whether a run is still its Task's; `over` where nothing is left to do of the Task, or it is gone. */
export type RunState = "on" | "over" | "lost";
