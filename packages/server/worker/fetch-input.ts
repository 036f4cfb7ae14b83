import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Links } from "../domain/links.ts";
import type { AssetStore, Blobs } from "../domain/ports.ts";
import { isBucketUrl } from "../domain/storage/bucket-url.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { isDiskFull } from "../is-disk-full.ts";
import { limitBytes } from "../limit-bytes.ts";
import { type AddressGuard, AddressRefused } from "../net/address-guard.ts";
import { findReason } from "../net/find-reason.ts";
import { openUrl, UrlError } from "../net/open-url.ts";
import { type BucketInputPorts, fetchBucketInput, NAME_OF_KIND } from "./fetch-bucket-input.ts";
import { TargetFailure } from "./target-failure.ts";

/** The share of a Task's progress that belongs to reading the input from a bucket. */
const FETCH_SHARE = 0.05;

export type FetchFilePorts = {
  assets: AssetStore;
  blobs: Blobs;
  links: Links;
  guard: AddressGuard;
  maxBytes: number;
};

export type FetchInputPorts = BucketInputPorts & FetchFilePorts;

/** Brings a Task's input to a local file. */
export async function fetchInput(
  ports: FetchInputPorts,
  task: TaskRecord,
  path: string,
  { signal, report }: { signal: AbortSignal; report(progress: number): void },
): Promise<void> {
  if (!isBucketUrl(task.url ?? "")) return await fetchFile(ports, { ...task, what: "input" }, path, signal);
  const onProgress = (fraction: number) => report(fraction * FETCH_SHARE);
  await writeWhole(path, (partialPath) =>
    fetchBucketInput(ports, task, { path: partialPath, signal, onProgress }),
  );
}

/** Something a client named by the id of an asset or by a URL, which may be one of our own links. */
export type FileOrigin = {
  clientId: string;
  /** When it was named: a link of ours that was good then still is, however long the Task has waited. */
  createdAt: Date;
  assetId?: string | undefined;
  url?: string | undefined;
  what: "input" | "transcript";
};

/** A file is there whole or not at all, so that the next run after a kill may take what it finds. */
async function writeWhole(path: string, write: (partialPath: string) => Promise<void>): Promise<void> {
  const partialPath = `${path}.partial`;
  try {
    // It may be a second name of a stored file, which must not be written to.
    await rm(partialPath, { force: true });
    await write(partialPath);
    await rename(partialPath, path);
  } catch (error) {
    throw isDiskFull(findReason(error)) ? new TargetFailure("DISK_FULL") : error;
  }
}

export async function fetchFile(
  ports: FetchFilePorts,
  origin: FileOrigin,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const blobKey = await findBlobKey(ports, origin);
  if (blobKey !== undefined && (await ports.blobs.findSize(blobKey)) === undefined) {
    // A store that has lost its bucket or folder has no file either.
    await ports.blobs.check();
    throw new TargetFailure("INPUT_NOT_FOUND", `The ${origin.what} asset is no longer kept; upload it again`);
  }
  await writeWhole(path, (partialPath) =>
    blobKey === undefined
      ? download(ports, origin, partialPath, signal)
      : ports.blobs.copyTo(blobKey, partialPath),
  );
}

async function findBlobKey(ports: FetchFilePorts, origin: FileOrigin): Promise<string | undefined> {
  if (origin.assetId === undefined) return ports.links.findBlobKey(origin.url ?? "", origin.createdAt);
  const asset = await ports.assets.findAsset(origin.clientId, origin.assetId);
  if (!asset)
    throw new TargetFailure("INPUT_NOT_FOUND", `The ${origin.what} asset was deleted; upload it again`);
  return asset.blobKey;
}

async function download(
  ports: FetchFilePorts,
  { url, what }: FileOrigin,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const body = await openUrl(ports.guard, new URL(url ?? ""), signal);
    const tooLarge = () =>
      new TargetFailure("INPUT_TOO_LARGE", `The ${what} has more than ${ports.maxBytes} bytes`);
    await pipeline(body, limitBytes(ports.maxBytes, tooLarge), createWriteStream(path), { signal });
  } catch (error) {
    const reason = findReason(error);
    if (error instanceof TargetFailure || signal.aborted || isDiskFull(reason)) throw error;
    if (reason instanceof AddressRefused) throw new TargetFailure("INPUT_ACCESS_DENIED", reason.message);
    const name = reason instanceof UrlError ? NAME_OF_KIND[reason.kind] : "INPUT_FETCH_FAILED";
    throw new TargetFailure(name, `The ${what} could not be fetched: ${reason.message}`);
  }
}
