import type { Readable } from "node:stream";
import type { DeliveryFilter, DistributionRow, Page, TaskListQuery, UsageRow } from "@stemwright/contract";
import type { AssetRecord, MediaFacts, ReadableMedia } from "./assets/asset-record.ts";
import type { Reservation } from "./credits/credit-amounts.ts";
import type { ModelGrant } from "./models/model-view.ts";
import type { NewTask, TaskRecord } from "./tasks/task-record.ts";
import type { DeliveryBody } from "./webhooks/delivery-body.ts";
import type { DeliveryRecord, WebhookWithSecret } from "./webhooks/webhook-record.ts";

/** What the domain needs of the world; db, queue and blobs make it real. */

export type Listed<Item> = { items: Item[]; total: number };

export interface TaskStore {
  /** Task, targets and what they set aside of a metered client's credits, in one transaction. */
  insertTask(task: NewTask, reservations: readonly Reservation[]): Promise<{ queuePosition: number }>;
  findTask(clientId: string, id: string): Promise<TaskRecord | undefined>;
  listTasks(clientId: string, query: TaskListQuery): Promise<Listed<TaskRecord>>;
  /** Removes the Task with its rows; its files are unclaimed then. True as well while they are still to be removed. */
  deleteTask(clientId: string, id: string): Promise<boolean>;
  /** Ends the unfinished targets; gives the Task as it then is. */
  cancelTask(clientId: string, id: string): Promise<TaskRecord | undefined>;
}

export interface TaskChanges {
  /** Calls the listener with the id of each Task that changed; with undefined when any may have. */
  subscribe(listener: (taskId: string | undefined) => void): () => void;
}

export interface StatisticsStore {
  /** `since` is the first month that counts, as YYYY-MM. */
  listUsage(clientId: string, since: string | undefined): Promise<UsageRow[]>;
  listDistribution(clientId: string, since: string | undefined): Promise<DistributionRow[]>;
}

export interface AssetStore {
  /** Makes announced files an asset. */
  insertAsset(asset: AssetRecord): Promise<void>;
  findAsset(clientId: string, id: string): Promise<AssetRecord | undefined>;
  findAssetName(blobKey: string): Promise<string | undefined>;
  listAssets(clientId: string, page: Page): Promise<Listed<AssetRecord>>;
  setMediaFacts(id: string, facts: MediaFacts): Promise<void>;
  /** Removes the asset; its files are unclaimed then. Gives it as well while they are still to be removed. */
  deleteAsset(clientId: string, id: string): Promise<AssetRecord | undefined>;
}

export interface GrantStore {
  listGrants(clientId: string): Promise<ModelGrant[]>;
}

export type BlobRange = { startByte: number; endByte: number };

export interface Blobs {
  /** Stores a stream whole or not at all; fails when it has more than maxBytes. */
  write(key: string, content: Readable, options?: { maxBytes?: number }): Promise<{ sizeBytes: number }>;
  /** Moves a finished local file in. */
  adopt(key: string, path: string): Promise<{ sizeBytes: number }>;
  findSize(key: string): Promise<number | undefined>;
  read(key: string, range?: BlobRange): Promise<Readable>;
  /** Puts a local file with the content at a path. */
  copyTo(key: string, path: string): Promise<void>;
  /** Lends a local file with the content, for programs that need a path; it must not be changed. */
  withLocalFile<Result>(key: string, use: (path: string) => Promise<Result>): Promise<Result>;
  delete(keyPrefix: string): Promise<void>;
  /** Throws while the store does not answer. */
  check(): Promise<void>;
}

export interface MediaLooker {
  look(blobKey: string): Promise<MediaFacts>;
  /** Why a format can't hold what is made of such a file; undefined where it can, as far as is known. */
  findOutputFault(format: string, facts: ReadableMedia): string | undefined;
}

export interface TranscriptReader {
  /** Why a stored file can't be a transcript; undefined where it can. */
  findFault(blobKey: string): Promise<string | undefined>;
}

export interface UrlRules {
  /** The stored file behind one of our own download links that is good now, whatever name it reached us by. */
  findStored(url: string): string | undefined;
  /** Throws when an address can't be read from, as far as its text tells; what it resolves to is judged at connect time. */
  check(url: string): void;
}

export interface WebhookStore {
  /** One for each account: a second call gives it another URL, and enables it again. */
  setWebhook(clientId: string, url: string): Promise<WebhookWithSecret>;
  findWebhook(clientId: string): Promise<WebhookWithSecret | undefined>;
  deleteWebhook(clientId: string, id: string): Promise<WebhookWithSecret | undefined>;
  rotateSecret(clientId: string, id: string): Promise<WebhookWithSecret | undefined>;
  /** The account's signing secret, made at its first use. */
  loadSecret(clientId: string): Promise<Buffer>;
  insertTestDelivery(clientId: string, id: string): Promise<DeliveryRecord | undefined>;
  listDeliveries(clientId: string, filter: DeliveryFilter): Promise<Listed<DeliveryRecord>>;
  findDelivery(clientId: string, id: string): Promise<(DeliveryRecord & { sent?: DeliveryBody }) | undefined>;
  /** Owes a delivery again, with all its tries; not where it was for the account's URL and that is disabled or gone. */
  replayDelivery(clientId: string, id: string): Promise<DeliveryRecord | "disabled" | undefined>;
}

/** Stems that finished Tasks left for the next one with the same content. */
export interface StemCachePort {
  /** Removes what is kept for this Task alone. */
  forget(taskId: string): Promise<void>;
}
