import type { DeliveryEvent, DeliveryState, LegacyJobStatus } from "@stemwright/contract";

export type WebhookRecord = {
  id: string;
  clientId: string;
  url: string;
  isEnabled: boolean;
  createdAt: Date;
  updatedAt: Date;
};

export type WebhookWithSecret = WebhookRecord & {
  /** The account's current signing secret. */
  secret: Buffer;
};

/** One call to a receiver, with all its tries. */
export type DeliveryRecord = {
  id: string;
  clientId: string;
  webhookId?: string;
  event: DeliveryEvent;
  taskId?: string;
  targetId?: string;
  jobStatus?: LegacyJobStatus;
  url: string;
  state: DeliveryState;
  attempts: number;
  createdAt: Date;
  dueAt: Date;
  lastAttemptAt?: Date;
  lastStatusCode?: number;
  lastError?: string;
};
