import { INPUT_FORMATS, type TaskRequest } from "@stemwright/contract";
import type { Caller } from "../accounts/caller.ts";
import type { AssetRecord } from "../assets/asset-record.ts";
import { checkWebUrl } from "../check-web-url.ts";
import { isId } from "../ids.ts";
import type { AssetStore, TranscriptReader, UrlRules } from "../ports.ts";
import { refuseField } from "../refuse-field.ts";
import { isBucketUrl } from "../storage/bucket-url.ts";

function checkTranscriptUrl(
  urls: UrlRules,
  url: string,
  { path, hasIntegration }: { path: string; hasIntegration: boolean },
): void {
  // Whether it is the integration's bucket is checked with the Task's other bucket URLs.
  if (!isBucketUrl(url)) checkWebUrl(urls, url, path);
  else if (!hasIntegration) {
    const message = "A transcript in a bucket needs a storageIntegrationId";
    refuseField("STORAGE_INTEGRATION_REQUIRED", { path, message });
  }
}

/** Refuses transcripts that clearly cannot be fetched; returns the assets among them, by target. */
export async function checkTranscripts(
  ports: { assets: AssetStore; urls: UrlRules; transcriptReader: TranscriptReader },
  caller: Caller,
  { targets, storageIntegrationId }: Pick<TaskRequest, "targets" | "storageIntegrationId">,
): Promise<(AssetRecord | undefined)[]> {
  const found: (AssetRecord | undefined)[] = [];
  for (const [index, { transcriptAssetId, transcriptUrl }] of targets.entries()) {
    if (transcriptUrl !== undefined)
      checkTranscriptUrl(ports.urls, transcriptUrl, {
        path: `targets[${index}].transcriptUrl`,
        hasIntegration: storageIntegrationId !== undefined,
      });
    if (transcriptAssetId === undefined) continue;
    const path = `targets[${index}].transcriptAssetId`;
    const asset = isId(transcriptAssetId)
      ? await ports.assets.findAsset(caller.clientId, transcriptAssetId)
      : undefined;
    if (!asset) {
      const message = "The account has no transcript with that id; upload the file first";
      refuseField("ASSET_UNKNOWN", { path, message });
    }
    if (!INPUT_FORMATS.text.some((format) => format === asset.format)) {
      const message = `A transcript is a txt or json file; this asset is ${asset.format}`;
      refuseField("TRANSCRIPT_NOT_ALLOWED", { path, message });
    }
    const fault = await ports.transcriptReader.findFault(asset.blobKey);
    if (fault !== undefined) refuseField("TRANSCRIPT_UNUSABLE", { path, message: fault });
    found[index] = asset;
  }
  return found;
}
