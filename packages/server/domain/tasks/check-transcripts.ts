import { INPUT_FORMATS, type TaskRequest } from "@stemwright/contract";
import type { AssetRecord } from "../assets/asset-record.ts";
import type { Caller } from "../caller.ts";
import { checkWebUrl } from "../check-web-url.ts";
import { isId } from "../ids.ts";
import type { AssetStore, UrlRules } from "../ports.ts";
import { refuseField } from "../refuse-field.ts";

/** Refuses transcripts of which it is plain that they can't be had; gives the assets among them, target by target. */
export async function checkTranscripts(
  ports: { assets: AssetStore; urls: UrlRules },
  caller: Caller,
  { targets }: Pick<TaskRequest, "targets">,
): Promise<(AssetRecord | undefined)[]> {
  const found: (AssetRecord | undefined)[] = [];
  for (const [index, { transcriptAssetId, transcriptUrl }] of targets.entries()) {
    if (transcriptUrl !== undefined)
      checkWebUrl(ports.urls, transcriptUrl, `targets[${index}].transcriptUrl`);
    if (transcriptAssetId === undefined) continue;
    const path = `targets[${index}].transcriptAssetId`;
    const asset = isId(transcriptAssetId)
      ? await ports.assets.findAsset(caller.clientId, transcriptAssetId)
      : undefined;
    if (!asset) {
      const message = "The account has no transcript of that id; upload the file first";
      refuseField("ASSET_UNKNOWN", { path, message });
    }
    if (!INPUT_FORMATS.text.some((format) => format === asset.format)) {
      const message = `A transcript is a txt or json file; this asset is ${asset.format}`;
      refuseField("TRANSCRIPT_NOT_ALLOWED", { path, message });
    }
    found[index] = asset;
  }
  return found;
}
