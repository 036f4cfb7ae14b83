import type { AssetStore } from "../domain/ports.ts";
import * as assets from "./assets.ts";
import type { DatabaseHandle } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { findOutputAsset, setOutputMediaFacts } from "./output-assets.ts";

export function makeAssetStore(db: DatabaseHandle): AssetStore {
  return {
    insertAsset: (asset) => assets.insertAsset(db, asset),
    findAsset: async (clientId, id) =>
      (await assets.findAsset(db, clientId, id)) ?? (await findOutputAsset(db, clientId, id)),
    findAssetName: (blobKey) => assets.findAssetName(db, blobKey),
    listAssets: (clientId, page) => assets.listAssets(db, clientId, page),
    async setMediaFacts(id, facts) {
      await assets.setMediaFacts(db, id, facts);
      await setOutputMediaFacts(db, id, facts);
    },
    deleteAsset: (clientId, id, removeFiles) =>
      inTransaction(db, async (transaction) => {
        const locked = await assets.lockAsset(transaction, id);
        if (locked?.client_id !== clientId) return undefined;
        await removeFiles();
        return await assets.deleteAsset(transaction, clientId, id);
      }),
  };
}
