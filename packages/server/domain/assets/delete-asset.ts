import type { AssetStore, Blobs } from "../ports.ts";
import { removeDeleted } from "../storage/remove-deleted.ts";
import { discardFiles, type UnclaimedFiles } from "../storage/unclaimed-files.ts";
import type { AssetRecord } from "./asset-record.ts";
import { toAssetFolder } from "./store-upload.ts";

type DeletePorts = { assets: AssetStore; blobs: Blobs; unclaimed: UnclaimedFiles };

/** Deletes an asset and its file; returns the deleted asset. */
export async function deleteAsset(
  ports: DeletePorts,
  clientId: string,
  id: string,
): Promise<AssetRecord | undefined> {
  const deleted = await ports.assets.deleteAsset(clientId, id);
  if (deleted) await removeDeleted([discardFiles(ports, toAssetFolder(id))]);
  return deleted;
}
