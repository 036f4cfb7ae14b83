import type { Asset } from "@stemwright/contract";
import type { LinkSigner } from "../links.ts";
import type { AssetRecord } from "./asset-record.ts";

export function toAsset(asset: AssetRecord, links: LinkSigner): Asset {
  return {
    id: asset.id,
    format: asset.format,
    name: asset.name,
    link: links.sign(asset.blobKey),
    size: asset.sizeBytes,
    createdAt: asset.createdAt.toISOString(),
  };
}
