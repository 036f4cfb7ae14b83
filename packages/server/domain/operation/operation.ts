import type { QueueState, ServiceHealth, TargetStatus, Worker } from "@stemwright/contract";

/** The state of the running service. */
export interface Operation {
  listWorkers(): Promise<Worker[]>;
  readQueues(): Promise<QueueState[]>;
  countTargets(): Promise<{ status: TargetStatus; targets: number; tasks: number }[]>;
  checkHealth(): Promise<ServiceHealth>;
}
