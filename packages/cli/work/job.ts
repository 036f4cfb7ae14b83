import type { PlannedOutput } from "./plan-outputs.ts";
import type { Progress } from "./reporter.ts";
import type { WantedTarget } from "./wanted-target.ts";

/** One input and what is to become of it. */
export type Job = {
  /** A path, or a URL where a service does the work. */
  input: string;
  targets: readonly WantedTarget[];
  /** Where the outputs go. */
  pattern: string;
  /** Of voices only the file that tells who speaks when, until it is known how many there are. */
  outputs: readonly PlannedOutput[];
};

export type JobHooks = {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  note(message: string): void;
};

/** Makes the outputs of jobs: the engine on this machine, or a service. */
export interface Runner {
  /** Resolves with all outputs when they are in place; what was begun goes on when the job is run again. */
  run(job: Job, hooks: JobHooks): Promise<readonly PlannedOutput[]>;
  close(): Promise<void>;
}
