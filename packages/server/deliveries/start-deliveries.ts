import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../db/database.ts";
import {
  type AttemptResult,
  claimDeliveries,
  keepDeliveryBody,
  recordAttempt,
  releaseDelivery,
} from "../db/webhooks/delivery-rows.ts";
import { disableWebhook } from "../db/webhooks/webhook-rows.ts";
import { loadSigningSecrets } from "../db/webhooks/webhook-secrets.ts";
import type { Vault } from "../domain/vault.ts";
import { toKeptAnswer, toKeptBody } from "../domain/webhooks/delivery-body.ts";
import { findRetryDelayMs, RETRY_DELAYS_MS } from "../domain/webhooks/retry-delays.ts";
import { makeSignatureHeaders } from "../domain/webhooks/signature.ts";
import type { DeliveryRecord } from "../domain/webhooks/webhook-record.ts";
import type { AddressGuard } from "../net/address-guard.ts";
import { makeAlarm } from "../waiting/alarm.ts";
import { type PostOutcome, postDelivery } from "./post-delivery.ts";

export type DeliveryOptions = {
  retryDelaysMs: readonly number[];
  /** For a whole try: DNS, connection, request and response. */
  timeoutMs: number;
  /** Concurrent calls: of this process, of one account to one receiver, of one account in total. */
  concurrency: number;
  perReceiver: number;
  perClient: number;
  pollIntervalMs: number;
};

export const DELIVERY_DEFAULTS: DeliveryOptions = {
  retryDelaysMs: RETRY_DELAYS_MS,
  timeoutMs: 15_000,
  concurrency: 64,
  perReceiver: 4,
  perClient: 16,
  pollIntervalMs: 500,
};

/** How much longer a claim lasts than the longest call: presigning links may take 5 s before it. A killed process's deliveries are due again after that. */
const LEASE_MARGIN_MS = 15_000;
/** The wait after the database failed. */
const TROUBLE_INTERVAL_MS = 5000;
const GONE = 410;

export type DeliveryPorts = {
  db: Database;
  vault: Vault;
  guard: AddressGuard;
  log: FastifyBaseLogger;
  /** False while due deliveries are to be left alone. */
  mayTake(): boolean;
  /** The current body; undefined if its subject no longer exists. */
  render(delivery: DeliveryRecord): Promise<unknown>;
};

/** Sends pending deliveries, each as soon as it is due, until closed. */
export function startDeliveries(ports: DeliveryPorts, given: Partial<DeliveryOptions> = {}) {
  const options = { ...DELIVERY_DEFAULTS, ...given };
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const alarm = makeAlarm();

  async function takeDue(): Promise<void> {
    const count = options.concurrency - underWay.size;
    if (count <= 0 || !ports.mayTake()) return;
    const { perReceiver, perClient } = options;
    const leaseMs = options.timeoutMs + LEASE_MARGIN_MS;
    for (const delivery of await claimDeliveries(ports.db, { count, perReceiver, perClient, leaseMs })) {
      const delivering = deliver(ports, options, delivery, closing.signal)
        .catch((error) =>
          ports.log.error({ err: error, deliveryId: delivery.id }, "webhook delivery failed unexpectedly"),
        )
        .finally(() => {
          underWay.delete(delivering);
          // Its receiver may have more waiting.
          alarm.ring();
        });
      underWay.add(delivering);
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let waitMs = options.pollIntervalMs;
      try {
        await takeDue();
      } catch (error) {
        ports.log.error({ err: error }, "failed to claim due deliveries");
        waitMs = TROUBLE_INTERVAL_MS;
      }
      if (!closing.signal.aborted) await alarm.sleep(waitMs);
    }
  }
  const running = run();

  return {
    /** Stops at once; deliveries in progress are returned to the queue. */
    async close(): Promise<void> {
      closing.abort(new Error("the service is shutting down"));
      alarm.ring();
      await running;
      await Promise.all(underWay);
    },
  };
}

/** The payload to send; undefined if its subject no longer exists. */
async function makeCall(
  ports: DeliveryPorts,
  delivery: DeliveryRecord,
): Promise<{ headers: Record<string, string>; body: Buffer; kept: string } | undefined> {
  const content = await ports.render(delivery);
  if (content === undefined) return undefined;
  const body = Buffer.from(JSON.stringify(content));
  const secrets = await loadSigningSecrets(ports.db, ports.vault, delivery.clientId);
  const headers = makeSignatureHeaders({ id: delivery.id, sentAt: new Date(), body, secrets });
  return { headers, body, kept: toKeptBody(content) };
}

async function deliver(
  ports: DeliveryPorts,
  options: DeliveryOptions,
  delivery: DeliveryRecord,
  signal: AbortSignal,
): Promise<void> {
  let call: Awaited<ReturnType<typeof makeCall>>;
  try {
    call = await makeCall(ports, delivery);
  } catch (error) {
    // Counts as a try; otherwise it would be repeated forever.
    ports.log.error({ err: error, deliveryId: delivery.id }, "failed to build the webhook payload");
    const reason = "The service failed to build the payload";
    return await settle(ports, options, delivery, { error: reason });
  }
  if (call === undefined)
    return await recordAttempt(ports.db, delivery.id, { isDelivered: false, error: "The Task is gone" });
  const { guard } = ports;
  const { timeoutMs } = options;
  const { headers, body, kept } = call;
  const outcome = await postDelivery({ guard, url: delivery.url, headers, body, timeoutMs, signal });
  if (outcome.error !== undefined && outcome.statusCode === undefined && signal.aborted)
    return await releaseDelivery(ports.db, delivery.id);
  await settle(ports, options, delivery, outcome, kept);
}

async function settle(
  ports: DeliveryPorts,
  options: DeliveryOptions,
  delivery: DeliveryRecord,
  outcome: PostOutcome,
  body?: string,
): Promise<void> {
  const result = toResult(options, delivery, outcome);
  await ports.db.transaction().execute(async (transaction) => {
    await recordAttempt(transaction, delivery.id, result);
    if (body !== undefined) {
      const { answer = "" } = outcome;
      const kept = answer === "" ? { body } : { body, answer: toKeptAnswer(answer) };
      await keepDeliveryBody(transaction, delivery.id, kept);
    }
    if (outcome.statusCode === GONE && delivery.webhookId !== undefined)
      await disableWebhook(transaction, { id: delivery.webhookId, url: delivery.url });
  });
  const { id: deliveryId, taskId, attempts } = delivery;
  const about = { deliveryId, taskId, attempt: attempts + 1, statusCode: outcome.statusCode };
  if (result.isDelivered) ports.log.info(about, "delivered");
  else ports.log.warn({ ...about, reason: result.error, retryInMs: result.retryInMs }, "delivery failed");
}

function toResult(options: DeliveryOptions, delivery: DeliveryRecord, outcome: PostOutcome): AttemptResult {
  const { statusCode, error } = outcome;
  if (error === undefined && statusCode !== undefined) return { isDelivered: true, statusCode };
  // A test shows the current state, and a receiver that is gone will not come back.
  const isLast = delivery.event === "test" || statusCode === GONE;
  const retryInMs = isLast ? undefined : findRetryDelayMs(delivery.attempts + 1, options.retryDelaysMs);
  return {
    isDelivered: false,
    error: error ?? "No answer",
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(retryInMs === undefined ? {} : { retryInMs }),
  };
}
