import type { TaskRequest } from "@stemwright/contract";
import type { Caller } from "../accounts/caller.ts";
import type { AssetRecord, MediaFacts, ReadableMedia } from "../assets/asset-record.ts";
import { checkWebUrl } from "../check-web-url.ts";
import type { Reservation } from "../credits/credit-amounts.ts";
import { estimateReservations } from "../credits/target-costs.ts";
import { getFound } from "../get-found.ts";
import { makeId } from "../ids.ts";
import { isSound } from "../models/catalogue.ts";
import type { InstalledModel } from "../models/model-view.ts";
import type { AssetStore, GrantStore, MediaProbe, TaskStore, TranscriptReader, UrlRules } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { isBucketUrl } from "../storage/bucket-url.ts";
import { checkBuckets } from "../storage/check-buckets.ts";
import type { StorageIntegrationStore } from "../storage/storage-ports.ts";
import type { StorageQuota } from "../storage/storage-quota.ts";
import type { Vault } from "../vault.ts";
import { checkDecodedSize, checkRoom } from "./check-decoded-size.ts";
import { checkInput } from "./check-input.ts";
import { type CheckedTarget, checkTargets } from "./check-targets.ts";
import { checkTranscripts } from "./check-transcripts.ts";
import { withSources } from "./find-sources.ts";
import { toSoundFormats } from "./output-names.ts";
import type { NewTarget, NewTask, TaskRecord } from "./task-record.ts";

export type CheckPorts = {
  assets: AssetStore;
  grants: GrantStore;
  media: MediaProbe;
  transcriptReader: TranscriptReader;
  urls: UrlRules;
  installed: readonly InstalledModel[];
  integrations: StorageIntegrationStore;
  vault: Vault;
  quota: StorageQuota;
  sizeLimits: { decodedMaxBytes: number };
};

type CheckedRequest = {
  /** Including their rates. */
  targets: NewTarget[];
  /** If known before the input is fetched. */
  durationSeconds: number | undefined;
  asset: AssetRecord | undefined;
  /** By target, for targets that name a transcript by id. */
  transcripts: (AssetRecord | undefined)[];
};

/** Validates a request; returns what was found on the way. */
export async function checkRequest(
  ports: CheckPorts,
  caller: Caller,
  request: TaskRequest,
): Promise<CheckedRequest> {
  checkInput(request);
  const grants = await ports.grants.listGrants(caller.clientId);
  const checked = checkTargets(request.targets, { installed: ports.installed, grants });
  const transcripts = await checkTranscripts(ports, caller, request);
  await checkBuckets(ports.integrations, caller, request);
  if (request.url !== undefined && !isBucketUrl(request.url)) ports.urls.check(request.url, "url");
  if (request.webhookUrl !== undefined) checkWebUrl(ports.urls, request.webhookUrl, "webhookUrl");
  const checkedAsset =
    request.assetId === undefined ? undefined : await checkAsset(ports, caller, request.assetId, checked);
  await checkRoom(ports.quota, caller, checkedAsset?.facts);
  return {
    targets: checked.map(({ target }) => target),
    durationSeconds: checkedAsset?.facts.durationSeconds,
    asset: checkedAsset?.asset,
    transcripts,
  };
}

/** A request that passed every check. */
export type PreparedTask = { task: NewTask; reservations: Reservation[] };

export async function prepareTask(
  ports: CheckPorts,
  caller: Caller,
  request: TaskRequest,
): Promise<PreparedTask> {
  const { targets, durationSeconds, ...named } = await checkRequest(ports, caller, request);
  const { targets: _, ...input } = request;
  const task = {
    ...input,
    ...(durationSeconds === undefined ? {} : { audioSeconds: durationSeconds }),
    ...{ id: makeId(), clientId: caller.clientId, createdAt: new Date(), targets },
  };
  return {
    task: await withSources(ports, task, named),
    reservations: estimateReservations(targets, durationSeconds),
  };
}

/** Inserts a Task; returns its current state. */
export async function insertPreparedTask(
  tasks: TaskStore,
  { task, reservations }: PreparedTask,
): Promise<TaskRecord> {
  const { sources: _, ...shown } = task;
  const { queuePosition } = await tasks.insertTask(task, reservations);
  return {
    ...shown,
    completedAt: null,
    isRunning: false,
    queuePosition,
    targets: task.targets.map((target) => ({ ...target, status: "processing", progress: 0, output: [] })),
  };
}

/** Refuses an asset the targets can't use; returns it with its duration, if the file says. */
async function checkAsset(
  ports: CheckPorts,
  caller: Caller,
  assetId: string,
  targets: CheckedTarget[],
): Promise<{ asset: AssetRecord; facts: ReadableMedia }> {
  const find = () => ports.assets.findAsset(caller.clientId, assetId);
  const asset = await getFound(
    assetId,
    find,
    () => new Refusal("ASSET_UNKNOWN", "The account has no asset with that id; upload the file first"),
  );
  const facts = await lookOnce(ports, asset);
  if (!facts.isReadable) {
    throw new Refusal(facts.reason === "no-audio" ? "MEDIA_NO_AUDIO" : "MEDIA_UNREADABLE", facts.message);
  }
  for (const [index, { model }] of targets.entries()) {
    if (facts.durationSeconds === undefined || facts.durationSeconds <= model.maxInputDurationSeconds)
      continue;
    const message = `The asset is ${Math.ceil(facts.durationSeconds)} s long; ${model.id} takes at most ${model.maxInputDurationSeconds} s`;
    refuseField("MEDIA_TOO_LONG", { path: `targets[${index}].model`, message });
  }
  checkOutputs(ports.media, targets, facts);
  checkDecodedSize(facts, ports.sizeLimits.decodedMaxBytes);
  return { asset, facts };
}

/** Refuses formats that can't hold the outputs of the asset, before any work. */
function checkOutputs(media: MediaProbe, targets: readonly CheckedTarget[], facts: ReadableMedia): void {
  for (const [index, { model, target }] of targets.entries()) {
    if (!isSound(model)) continue;
    for (const format of toSoundFormats(target)) {
      const message = media.findOutputFault(format, facts);
      const path = `targets[${index}].formats[${target.formats.indexOf(format)}]`;
      if (message !== undefined) refuseField("FORMAT_UNSUPPORTED", { path, message });
    }
  }
}

async function lookOnce(ports: CheckPorts, asset: AssetRecord): Promise<MediaFacts> {
  if (asset.media) return asset.media;
  const facts = await ports.media.look(asset);
  await ports.assets.setMediaFacts(asset.id, facts);
  return facts;
}
