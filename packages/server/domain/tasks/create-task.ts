import { ApiError, type TaskRequest } from "@stemwright/contract";
import type { AssetRecord, MediaFacts } from "../assets/asset-record.ts";
import type { Caller } from "../caller.ts";
import { checkWebUrl } from "../check-web-url.ts";
import { estimateReservations } from "../credits.ts";
import type { Receipt } from "../idempotency.ts";
import { isId, makeId } from "../ids.ts";
import type { InstalledModel } from "../models/model-view.ts";
import type { AssetStore, GrantStore, MediaLooker, TaskStore, UrlRules } from "../ports.ts";
import { isBucketUrl } from "../storage/bucket-url.ts";
import { checkBuckets } from "../storage/check-buckets.ts";
import type { StorageIntegrationStore } from "../storage/storage-ports.ts";
import { checkInput } from "./check-input.ts";
import { type CheckedTarget, checkTargets } from "./check-targets.ts";
import type { NewTarget, TaskRecord } from "./task-record.ts";

export type CreateTaskPorts = {
  tasks: TaskStore;
  assets: AssetStore;
  grants: GrantStore;
  media: MediaLooker;
  urls: UrlRules;
  installed: readonly InstalledModel[];
  integrations: StorageIntegrationStore;
};

/** Checks all of a request; gives its targets with their rates, and the input's length where that is known. */
export async function checkRequest(
  ports: Omit<CreateTaskPorts, "tasks">,
  caller: Caller,
  request: TaskRequest,
): Promise<{ targets: NewTarget[]; durationSeconds: number | undefined }> {
  checkInput(request);
  const grants = await ports.grants.listGrants(caller.clientId);
  const checked = checkTargets(request.targets, { installed: ports.installed, grants });
  await checkBuckets(ports.integrations, caller, request);
  if (request.url !== undefined && !isBucketUrl(request.url)) ports.urls.check(request.url);
  if (request.webhookUrl !== undefined) checkWebUrl(ports.urls, request.webhookUrl, "webhookUrl");
  const durationSeconds =
    request.assetId === undefined ? undefined : await checkAsset(ports, caller, request.assetId, checked);
  return { targets: checked.map(({ target }) => target), durationSeconds };
}

/** Takes a request in: checks all of it, stores it with its job, and answers with the Task as it now stands. */
export async function createTask(
  ports: CreateTaskPorts,
  caller: Caller,
  request: TaskRequest,
  receipt?: Receipt & { toAnswer(task: TaskRecord): string },
): Promise<TaskRecord> {
  const { targets, durationSeconds } = await checkRequest(ports, caller, request);
  const { targets: _, ...input } = request;
  const task = {
    ...input,
    id: makeId(),
    clientId: caller.clientId,
    createdAt: new Date(),
    targets,
  };
  const toRecord = (queuePosition: number): TaskRecord => ({
    ...task,
    completedAt: null,
    queuePosition,
    targets: task.targets.map((target) => ({ ...target, status: "processing", progress: 0, output: [] })),
  });
  const { queuePosition } = await ports.tasks.insertTask(task, {
    reservations: estimateReservations(targets, durationSeconds),
    receipt: receipt && { ...receipt, toAnswer: (position) => receipt.toAnswer(toRecord(position)) },
  });
  return toRecord(queuePosition);
}

/** Refuses an asset the targets can't work on; gives its length, where the file tells. */
async function checkAsset(
  ports: Omit<CreateTaskPorts, "tasks">,
  caller: Caller,
  assetId: string,
  targets: CheckedTarget[],
): Promise<number | undefined> {
  const asset = isId(assetId) ? await ports.assets.findAsset(caller.clientId, assetId) : undefined;
  if (!asset)
    throw new ApiError("ASSET_UNKNOWN", "The account has no asset of that id; upload it with POST /assets");
  const facts = await lookOnce(ports, asset);
  if (!facts.isReadable) {
    throw new ApiError(facts.reason === "no-audio" ? "MEDIA_NO_AUDIO" : "MEDIA_UNREADABLE", facts.message);
  }
  for (const [index, { model }] of targets.entries()) {
    if (facts.durationSeconds === undefined || facts.durationSeconds <= model.maxInputDurationSeconds)
      continue;
    const message = `The asset is ${Math.ceil(facts.durationSeconds)} s long; ${model.id} takes at most ${model.maxInputDurationSeconds} s`;
    throw new ApiError("MEDIA_TOO_LONG", message, [{ path: `targets[${index}].model`, message }]);
  }
  return facts.durationSeconds;
}

async function lookOnce(ports: Omit<CreateTaskPorts, "tasks">, asset: AssetRecord): Promise<MediaFacts> {
  if (asset.media) return asset.media;
  const facts = await ports.media.look(asset.blobKey);
  await ports.assets.setMediaFacts(asset.id, facts);
  return facts;
}
