import { legacyJob, type Task, webhookPayload } from "@stemwright/contract";
import { toLegacyJob } from "../compat/jobs/legacy-job-view.ts";
import type { Database } from "../db/database.ts";
import { findLegacyJob } from "../db/tasks/legacy-job-rows.ts";
import { findTask } from "../db/tasks/task-rows.ts";
import type { LinkSigner } from "../domain/links.ts";
import type { OutputLinks } from "../domain/storage/output-links.ts";
import { toTask } from "../domain/tasks/task-view.ts";
import type { DeliveryRecord } from "../domain/webhooks/webhook-record.ts";

/** The current payload of a delivery, with fresh links: exactly what GET would return now. Undefined if its subject no longer exists. */
export async function renderDelivery(
  db: Database,
  { links, outputLinks }: { links: LinkSigner; outputLinks: OutputLinks },
  delivery: DeliveryRecord,
): Promise<unknown> {
  if (delivery.event === "test") return webhookPayload.parse(makeTestTask(delivery));
  if (delivery.event === "job") {
    const job = await findLegacyJob(db, delivery.taskId ?? "");
    return job && { job: legacyJob.parse(toLegacyJob(job, links, delivery.jobStatus)) };
  }
  const task = await findTask(db, delivery.taskId ?? "");
  return task && webhookPayload.parse(toTask(task, await outputLinks.prepare([task])));
}

/** The payload of a test event: a sample Task that was never run. */
function makeTestTask({ id, clientId, createdAt }: DeliveryRecord): Task {
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
