import { toAssetFolder } from "../../domain/assets/store-upload.ts";
import type { AssetStore } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import { bindQueries } from "../bind-queries.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { claimFiles, disownFiles, findDisowned } from "../storage/unclaimed-file-rows.ts";
import * as assets from "./asset-rows.ts";
import { findOutputAsset, setOutputMediaFacts } from "./output-asset-rows.ts";

export function makeAssetStore(db: DatabaseHandle): AssetStore {
  return {
    ...bindQueries(db, { findAssetName: assets.findAssetName, listAssets: assets.listAssets }),
    insertAsset: (asset) =>
      inTransaction(db, async (transaction) => {
        if (!(await claimFiles(transaction, toAssetFolder(asset.id))))
          throw new Refusal("UPLOAD_BROKEN", "The upload took longer than a day; nothing was kept");
        await assets.insertAsset(transaction, asset);
      }),
    findAsset: async (clientId, id) =>
      (await assets.findAsset(db, clientId, id)) ?? (await findOutputAsset(db, clientId, id)),
    async setMediaFacts(id, facts) {
      await assets.setMediaFacts(db, id, facts);
      await setOutputMediaFacts(db, id, facts);
    },
    deleteAsset: (clientId, id) =>
      inTransaction(db, async (transaction) => {
        const folder = toAssetFolder(id);
        const asset = await assets.deleteAsset(transaction, clientId, id);
        if (!asset) return (await findDisowned(transaction, clientId, folder))?.asset;
        await disownFiles(transaction, { keyPrefixes: [folder], clientId, asset });
        return asset;
      }),
  };
}
