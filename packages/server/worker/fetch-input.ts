import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { request } from "undici";
import type { Links } from "../domain/links.ts";
import type { AssetStore, Blobs } from "../domain/ports.ts";
import { isBucketUrl } from "../domain/storage/bucket-url.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { limitBytes } from "../limit-bytes.ts";
import { type AddressGuard, AddressRefused } from "../net/address-guard.ts";
import { findReason } from "../net/find-reason.ts";
import { type BucketInputPorts, fetchBucketInput } from "./fetch-bucket-input.ts";
import { TargetFailure } from "./target-failure.ts";

const REDIRECTS_MAX = 5;

/** The share of a Task's progress that belongs to reading the input from a bucket. */
const FETCH_SHARE = 0.05;

export type FetchInputPorts = BucketInputPorts & {
  assets: AssetStore;
  blobs: Blobs;
  links: Links;
  guard: AddressGuard;
};

/** Brings a Task's input to a local file. */
export async function fetchInput(
  ports: FetchInputPorts,
  task: TaskRecord,
  path: string,
  { signal, report }: { signal: AbortSignal; report(progress: number): void },
): Promise<void> {
  const partialPath = `${path}.partial`;
  const blobKey = await findBlobKey(ports, task);
  if (isBucketUrl(task.url ?? "")) {
    const onProgress = (fraction: number) => report(fraction * FETCH_SHARE);
    await fetchBucketInput(ports, task, { path: partialPath, signal, onProgress });
  } else if (blobKey === undefined) await download(ports, task.url ?? "", partialPath, signal);
  else if ((await ports.blobs.findSize(blobKey)) === undefined)
    throw new TargetFailure("INPUT_NOT_FOUND", "The input asset is no longer kept; upload it again");
  else await ports.blobs.copyTo(blobKey, partialPath);
  await rename(partialPath, path);
}

async function findBlobKey(ports: FetchInputPorts, task: TaskRecord): Promise<string | undefined> {
  if (task.assetId === undefined) return ports.links.findBlobKey(task.url ?? "");
  const asset = await ports.assets.findAsset(task.clientId, task.assetId);
  if (!asset) throw new TargetFailure("INPUT_NOT_FOUND", "The input asset was deleted; upload it again");
  return asset.blobKey;
}

async function download(
  ports: FetchInputPorts,
  url: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const body = await openUrl(ports.guard, new URL(url), signal);
    const tooLarge = () =>
      new TargetFailure("INPUT_TOO_LARGE", `The input has more than ${ports.maxBytes} bytes`);
    await pipeline(body, limitBytes(ports.maxBytes, tooLarge), createWriteStream(path), { signal });
  } catch (error) {
    if (error instanceof TargetFailure || signal.aborted) throw error;
    const reason = findReason(error);
    if (reason instanceof AddressRefused) throw new TargetFailure("INPUT_ACCESS_DENIED", reason.message);
    if (["ENOSPC", "EDQUOT"].includes((reason as NodeJS.ErrnoException).code ?? ""))
      throw new TargetFailure("DISK_FULL");
    throw new TargetFailure("INPUT_FETCH_FAILED", `The input could not be fetched: ${reason.message}`);
  }
}

/** Follows redirects by hand, so that each hop is held against the guard's rules. */
export async function openUrl(
  guard: AddressGuard,
  url: URL,
  signal: AbortSignal,
  redirectsLeft = REDIRECTS_MAX,
): Promise<Readable> {
  guard.checkUrl(url);
  const response = await request(url, {
    dispatcher: guard.dispatcher,
    signal,
    headers: { "user-agent": "stemwright" },
  });
  const { statusCode, headers, body } = response;
  if (statusCode === 200) return body;
  await body.dump();
  const location = [headers.location].flat()[0];
  if (statusCode >= 300 && statusCode < 400 && location) {
    if (redirectsLeft === 0)
      throw new TargetFailure(
        "INPUT_FETCH_FAILED",
        `The input's address redirects more than ${REDIRECTS_MAX} times`,
      );
    return openUrl(guard, new URL(location, url), signal, redirectsLeft - 1);
  }
  if (statusCode === 404 || statusCode === 410)
    throw new TargetFailure("INPUT_NOT_FOUND", `The input is not there: its server answered ${statusCode}`);
  if (statusCode === 401 || statusCode === 403)
    throw new TargetFailure("INPUT_ACCESS_DENIED", `The input's server answered ${statusCode}`);
  throw new TargetFailure("INPUT_FETCH_FAILED", `The input's server answered ${statusCode}`);
}
