import type { AssetStore } from "../ports.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { AssetRecord } from "./asset-record.ts";

/** The asset that a Task reads, as long as it is stored. */
export const findInputAsset = async (
  { assets }: { assets: Pick<AssetStore, "findAsset"> },
  { clientId, assetId }: Pick<TaskRecord, "clientId" | "assetId">,
): Promise<AssetRecord | undefined> =>
  assetId === undefined ? undefined : await assets.findAsset(clientId, assetId);
