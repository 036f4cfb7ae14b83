import { toAssetFolder } from "../../domain/assets/store-upload.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { UploadRules, UploadStore } from "../../domain/uploads/upload-record.ts";
import { insertAsset } from "../assets/asset-rows.ts";
import { bindQueries } from "../bind-queries.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { claimFiles } from "../storage/unclaimed-file-rows.ts";
import * as uploads from "./upload-rows.ts";

export function makeUploadStore(db: DatabaseHandle, rules: UploadRules): UploadStore {
  return {
    ...bindQueries(db, {
      findUpload: uploads.findUpload,
      listUploads: uploads.listUploads,
      releaseUpload: uploads.releaseUpload,
    }),
    insertUpload: (upload) =>
      inTransaction(db, (transaction) => uploads.insertUpload(transaction, upload, rules)),
    takeUpload: (place, token, turn) => uploads.takeUpload(db, place, { token, turn }),
    keepUpload: (id, token, progress = {}) => uploads.keepUpload(db, { id, token, progress }, rules),
    noteParts: (id, storedBytes) => uploads.noteParts(db, { id, storedBytes }, rules),
    finishUpload: (token, asset) =>
      inTransaction(db, async (transaction) => {
        const isOurs = await uploads.deleteUpload(transaction, asset.id, token);
        if (!isOurs || !(await claimFiles(transaction, toAssetFolder(asset.id))))
          throw new Refusal("UPLOAD_TAKEN_OVER", "Another request finished or removed this upload");
        await insertAsset(transaction, asset);
      }),
    async deleteUpload(id, token) {
      await uploads.deleteUpload(db, id, token);
    },
  };
}
