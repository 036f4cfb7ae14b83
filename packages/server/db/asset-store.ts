import type { AssetStore } from "../domain/ports.ts";
import * as assets from "./assets.ts";
import type { DatabaseHandle } from "./database.ts";

export function makeAssetStore(db: DatabaseHandle): AssetStore {
  return {
    insertAsset: (asset) => assets.insertAsset(db, asset),
    findAsset: (clientId, id) => assets.findAsset(db, clientId, id),
    findAssetName: (blobKey) => assets.findAssetName(db, blobKey),
    listAssets: (clientId, page) => assets.listAssets(db, clientId, page),
    setMediaFacts: (id, facts) => assets.setMediaFacts(db, id, facts),
    deleteAsset: (clientId, id) => assets.deleteAsset(db, clientId, id),
  };
}
