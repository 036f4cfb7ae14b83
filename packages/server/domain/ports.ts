import type { Readable } from "node:stream";
import type { AssetListQuery, DeliveryFilter, ModelGrant, TaskListQuery } from "@stemwright/contract";
import type { AssetRecord, MediaFacts, ReadableMedia } from "./assets/asset-record.ts";
import type { Reservation } from "./credits/credit-amounts.ts";
import type { NewTask, TaskRecord } from "./tasks/task-record.ts";
import type { DeliveryBody } from "./webhooks/delivery-body.ts";
import type { DeliveryRecord, WebhookWithSecret } from "./webhooks/webhook-record.ts";

/** What the domain needs from outside; implemented by db, queue and blobs. */

export type Listed<Item> = { items: Item[]; total: number };

export interface TaskStore {
  /** Inserts Task, targets and a metered client's reservations in one transaction. */
  insertTask(task: NewTask, reservations: readonly Reservation[]): Promise<{ queuePosition: number }>;
  findTask(clientId: string, id: string): Promise<TaskRecord | undefined>;
  listTasks(clientId: string, query: TaskListQuery): Promise<Listed<TaskRecord>>;
  /** Deletes the Task's rows; its files become unclaimed. Also true while they are still to be removed. */
  deleteTask(clientId: string, id: string): Promise<boolean>;
  /** Cancels the unfinished targets; returns the updated Task. */
  cancelTask(clientId: string, id: string): Promise<TaskRecord | undefined>;
}

export interface TaskChanges {
  /** Calls the listener with the id of each changed Task; with undefined if any may have changed. */
  subscribe(listener: (taskId: string | undefined) => void): () => void;
}

export interface AssetStore {
  /** Turns announced files into an asset. */
  insertAsset(asset: AssetRecord): Promise<void>;
  findAsset(clientId: string, id: string): Promise<AssetRecord | undefined>;
  findAssetName(blobKey: string): Promise<string | undefined>;
  listAssets(clientId: string, query: AssetListQuery): Promise<Listed<AssetRecord>>;
  setMediaFacts(id: string, facts: MediaFacts): Promise<void>;
  /** Deletes the asset; its files become unclaimed. Also returns it while they are still to be removed. */
  deleteAsset(clientId: string, id: string): Promise<AssetRecord | undefined>;
}

export interface GrantStore {
  listGrants(clientId: string): Promise<ModelGrant[]>;
}

export type BlobRange = { startByte: number; endByte: number };

export interface Blobs {
  /** Atomic: stores the whole stream or nothing; fails if it exceeds maxBytes. */
  write(key: string, content: Readable, options?: { maxBytes?: number }): Promise<{ sizeBytes: number }>;
  /** Moves a finished local file into the store. */
  adopt(key: string, path: string): Promise<{ sizeBytes: number }>;
  findSize(key: string): Promise<number | undefined>;
  read(key: string, range?: BlobRange): Promise<Readable>;
  /** All of a small file; undefined where there is none. */
  findBytes(key: string): Promise<Buffer | undefined>;
  /** Copies the content to a local path. */
  copyTo(key: string, path: string): Promise<void>;
  /** Provides a local file with the content, for programs that need a path; it must not be changed. */
  withLocalFile<Result>(key: string, use: (path: string) => Promise<Result>): Promise<Result>;
  delete(keyPrefix: string): Promise<void>;
  /** Throws if the store does not answer. */
  check(): Promise<void>;
}

export interface MediaProbe {
  look(asset: Pick<AssetRecord, "blobKey" | "clientId">): Promise<MediaFacts>;
  /** Why a format can't hold the outputs of such a file; undefined if it can, as far as known. */
  findOutputFault(format: string, facts: ReadableMedia): string | undefined;
}

export interface TranscriptReader {
  /** Why a stored file can't be a transcript; undefined if it can. */
  findFault(blobKey: string): Promise<string | undefined>;
}

export interface UrlRules {
  /** The stored file behind one of our own download links that is still valid, whatever its host name. */
  findStored(url: string): string | undefined;
  /** Refuses the field if its address can't be read from, judging by its text; the resolved address is checked when connecting. */
  check(url: string, path: string): void;
}

export interface WebhookStore {
  /** One per account: a second call changes the URL and enables it again. */
  setWebhook(clientId: string, url: string): Promise<WebhookWithSecret>;
  findWebhook(clientId: string): Promise<WebhookWithSecret | undefined>;
  deleteWebhook(clientId: string, id: string): Promise<WebhookWithSecret | undefined>;
  rotateSecret(clientId: string, id: string): Promise<WebhookWithSecret | undefined>;
  /** The account's signing secret, created at its first use. */
  loadSecret(clientId: string): Promise<Buffer>;
  insertTestDelivery(clientId: string, id: string): Promise<DeliveryRecord | undefined>;
  listDeliveries(clientId: string, filter: DeliveryFilter): Promise<Listed<DeliveryRecord>>;
  findDelivery(clientId: string, id: string): Promise<(DeliveryRecord & { sent?: DeliveryBody }) | undefined>;
  /** Makes a delivery due again, with all its retries; not if it was for the account's URL and that is disabled or gone. */
  replayDelivery(clientId: string, id: string): Promise<DeliveryRecord | "disabled" | undefined>;
}

/** Stems that finished Tasks left for later ones with the same content. */
export interface StemCachePort {
  /** Removes entries kept for this Task alone. */
  forget(taskId: string): Promise<void>;
}
