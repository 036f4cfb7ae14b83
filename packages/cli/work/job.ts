import type { PlannedOutput } from "./plan-output-paths.ts";
import type { Progress } from "./reporter.ts";
import type { WantedTarget } from "./wanted-target.ts";

/** One input and its targets. */
export type Job = {
  /** A path, or a URL if a service does the work. */
  input: string;
  targets: readonly WantedTarget[];
  /** Where the outputs go. */
  pattern: string;
  /** For voices only the JSON file, until the number of speakers is known. */
  outputs: readonly PlannedOutput[];
};

export type JobHooks = {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  note(message: string): void;
};

/** Makes the outputs of jobs: the engine on this machine, or a service. */
export interface Runner {
  /** Resolves with all outputs when they are in place; running the job again resumes it. */
  run(job: Job, hooks: JobHooks): Promise<readonly PlannedOutput[]>;
  close(): Promise<void>;
}
