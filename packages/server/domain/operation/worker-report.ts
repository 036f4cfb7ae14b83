/** A worker's heartbeat. */
export type WorkerReport = {
  id: string;
  host: string;
  pid: number;
  version: string;
  startedAt: Date;
  task: { id: string; since: Date } | undefined;
  memoryBytes: number;
  engineSeconds: number;
  audioSeconds: number;
  /** Loaded networks that GPUs can run, and what each runs on. */
  networks: readonly { name: string; runsOn: string; timesRealTime: number | null }[];
  /** Why it takes no Task now. */
  fault?: string | undefined;
  /** Free on the fullest of the disks it writes to; undefined if that is unknown. */
  diskFreeBytes?: number | undefined;
  /** Everything about the machine that the samples of spans depend on; undefined for a worker that makes none. */
  machine?: string | undefined;
};

export interface WorkerRegister {
  report(report: WorkerReport): Promise<void>;
  remove(workerId: string): Promise<void>;
}
