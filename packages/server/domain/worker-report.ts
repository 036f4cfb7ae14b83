/** A worker's sign of life. */
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
};

export interface WorkerRegister {
  report(report: WorkerReport): Promise<void>;
  remove(workerId: string): Promise<void>;
}
