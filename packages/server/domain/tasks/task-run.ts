/** One worker's work at a Task, from the claim to its end. What it writes counts only while the Task has its token. */
export type TaskRun = { taskId: string; token: string };

/** The Task no longer belongs to this run: another worker continues it, and this one must not change anything. */
export class RunLost extends Error {
  override readonly name = "RunLost";

  constructor() {
    super("the Task was taken over");
  }
}

/** Whether a run is still its Task's; `over` where nothing is left to do of the Task, or it is gone. */
export type RunState = "on" | "over" | "lost";
