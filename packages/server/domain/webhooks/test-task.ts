import type { Task } from "@stemwright/contract";
import type { DeliveryRecord } from "./webhook-record.ts";

/** What a test event carries: a Task to look at and to verify, of which nothing was ever run. */
export function makeTestTask({ id, clientId, createdAt }: DeliveryRecord): Task {
  return {
    id,
    createdAt: createdAt.toISOString(),
    completedAt: createdAt.toISOString(),
    clientId,
    cost: 0,
    url: "https://example.com/test.wav",
    metadata: "A test of your webhook; there is no such Task",
    targets: [
      { id, model: "vocals", status: "completed", formats: ["wav"], output: [], cost: 0, duration: 0 },
    ],
  };
}
