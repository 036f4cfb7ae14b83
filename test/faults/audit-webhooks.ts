import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { type Finding, toFindings } from "./finding.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** Longer than a killed process's lease on a delivery. */
const WAIT_MS = 45_000;
const POLL_MS = 500;

type EndedTarget = { target_id: string; delivery_ids: string[] };

const ENDED_TARGETS = `
  select targets.id as target_id, coalesce(array_agg(deliveries.id) filter (where deliveries.id is not null), '{}') as delivery_ids
  from targets left join deliveries on deliveries.target_id = targets.id
  where targets.status <> 'processing'
  group by targets.id`;

/** Each target that ended must have sent one signed webhook; deleted Tasks none. */
export async function auditWebhooks(
  db: pg.Client,
  receiver: WebhookReceiver,
  waitMs = WAIT_MS,
): Promise<Finding[]> {
  const findMissing = async () => {
    const { rows } = await db.query<EndedTarget>(ENDED_TARGETS);
    const isThere = (id: string) => receiver.received.has(id);
    return { rows, missing: rows.filter(({ delivery_ids }) => !delivery_ids.some(isThere)) };
  };
  const deadlineMs = performance.now() + waitMs;
  let found = await findMissing();
  while (found.missing.length > 0 && performance.now() < deadlineMs) {
    await wait(POLL_MS);
    found = await findMissing();
  }
  const twice = found.rows.filter(({ delivery_ids }) => delivery_ids.length > 1);
  return [
    ...toFindings(
      "webhooksMissing",
      found.missing.map(
        ({ target_id, delivery_ids }) => `of target ${target_id}: ${delivery_ids.join(", ") || "none due"}`,
      ),
    ),
    ...toFindings(
      "webhooksWrong",
      twice.map(({ target_id }) => `two due for target ${target_id}`),
    ),
    ...toFindings("webhooksWrong", receiver.forged),
  ];
}
