import { rename, rm } from "node:fs/promises";
import type { AssetStore, Blobs } from "../../domain/ports.ts";
import { findBucketUrl } from "../../domain/storage/bucket-url.ts";
import { isCustomerBlobKey, parseCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskSource } from "../../domain/tasks/task-source.ts";
import { type Vault, WrongVaultKey } from "../../domain/vault.ts";
import type { AddressGuard } from "../../net/address-guard.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type BucketFilePorts, type BucketOrigin, fetchBucketFile } from "./fetch-bucket-file.ts";
import { fetchUrlFile } from "./fetch-url-file.ts";

/** The share of a Task's progress that fetching the input accounts for. */
const FETCH_SHARE = 0.05;

interface TaskSources {
  listSources(taskId: string): Promise<TaskSource[]>;
}

export type FetchFilePorts = BucketFilePorts & {
  assets: AssetStore;
  blobs: Blobs;
  sources: TaskSources;
  vault: Vault;
  guard: AddressGuard;
  maxBytes: number;
  /** Delays between retries after temporary failures. */
  fetchDelaysMs: readonly number[];
};

type FetchOptions = { path: string; signal: AbortSignal; onProgress(fraction: number): void };

/** Copies a Task's input to a local file. */
export async function fetchInput(
  ports: FetchFilePorts,
  task: TaskRecord,
  path: string,
  { signal, report }: { signal: AbortSignal; report(progress: number): void },
): Promise<void> {
  const onProgress = (fraction: number) => report(fraction * FETCH_SHARE);
  await fetchFile(ports, { ...task, taskId: task.id, what: "input" }, { path, signal, onProgress });
}

/** The blob key of a Task's input, if it is in our own store. */
export async function findStoredInput(ports: FetchFilePorts, task: TaskRecord): Promise<string | undefined> {
  const { blobKey } = await findPlace(ports, { ...task, taskId: task.id, what: "input" });
  return blobKey !== undefined && isCustomerBlobKey(blobKey) ? undefined : blobKey;
}

/** Something a client gave as an asset id or a URL. The URL may be one of our own links. */
export type FileOrigin = {
  taskId: string;
  /** The target whose transcript it is. */
  targetId?: string;
  clientId: string;
  storageIntegrationId?: string | undefined;
  assetId?: string | undefined;
  url?: string | undefined;
  what: "input" | "transcript";
};

/** The file appears complete or not at all, so that the next run after a kill can use what it finds. */
async function writeWhole(path: string, write: (partialPath: string) => Promise<void>): Promise<void> {
  const partialPath = `${path}.partial`;
  // It may be a hard link to a stored file, so it must not be overwritten in place.
  await rm(partialPath, { force: true });
  await write(partialPath);
  await rename(partialPath, path);
}

export async function fetchFile(
  ports: FetchFilePorts,
  origin: FileOrigin,
  { path, signal, onProgress }: FetchOptions,
): Promise<void> {
  const { url, what } = origin;
  const { blobKey, login } = await findPlace(ports, origin);
  const object = findBucketObject(origin, blobKey);
  const isOurs = blobKey !== undefined && object === undefined;
  if (isOurs && (await ports.blobs.findSize(blobKey)) === undefined) {
    // The file is also missing if the store has lost its bucket or folder: that is an outage.
    await ports.blobs.check();
    throw new TargetFailure("INPUT_NOT_FOUND", `The ${what} asset is no longer kept; upload it again`);
  }
  await writeWhole(path, async (partialPath) => {
    if (isOurs) return await ports.blobs.copyTo(blobKey, partialPath);
    const { maxBytes, fetchDelaysMs: delaysMs } = ports;
    const download = { path: partialPath, what, maxBytes, delaysMs, signal, onProgress };
    if (object) return await fetchBucketFile(ports, object, download);
    return await fetchUrlFile(ports, { url: url ?? "", login }, download);
  });
}

/** The object, if the file is in a client's bucket: an output, which whoever has its id or link may read, or one named by its URL. */
function findBucketObject(
  { clientId, storageIntegrationId = "", url = "" }: FileOrigin,
  blobKey: string | undefined,
): BucketOrigin | undefined {
  if (blobKey !== undefined)
    return isCustomerBlobKey(blobKey) ? { scope: {}, ...parseCustomerBlobKey(blobKey) } : undefined;
  const key = findBucketUrl(url)?.key;
  return key === undefined ? undefined : { scope: { clientId }, integrationId: storageIntegrationId, key };
}

/** The blob key if the URL is one of our links, otherwise how to open it. */
async function findPlace(
  ports: FetchFilePorts,
  { taskId, targetId, clientId, assetId, what }: FileOrigin,
): Promise<{ blobKey?: string | undefined; login?: string | undefined }> {
  if (assetId !== undefined) {
    const asset = await ports.assets.findAsset(clientId, assetId);
    if (!asset) throw new TargetFailure("INPUT_NOT_FOUND", `The ${what} asset was deleted; upload it again`);
    return asset;
  }
  const sources = await ports.sources.listSources(taskId);
  const { blobKey, sealedLogin } = sources.find((source) => source.targetId === targetId) ?? {};
  try {
    return { blobKey, login: sealedLogin && (await ports.vault.unseal(sealedLogin, taskId)) };
  } catch (error) {
    throw error instanceof WrongVaultKey
      ? new TargetFailure("NOT_SET_UP", `The login of the ${what}'s URL can't be read: ${error.message}`)
      : error;
  }
}
