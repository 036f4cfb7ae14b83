/** One worker's attempt at a Task, from claim to end. Its writes count only while the Task has its token. */
export type TaskRun = { taskId: string; token: string };

/** The Task no longer belongs to this run: another worker continues it, and this one must not change anything. */
export class RunLost extends Error {
  override readonly name = "RunLost";

  constructor() {
    super("the Task was taken over");
  }
}

/** Whether a run still owns its Task; `over` if the Task is finished or gone. */
export type RunState = "on" | "over" | "lost";
