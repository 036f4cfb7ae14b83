import { makeAccountStore } from "../db/accounts/make-account-store.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import { makeAssetStore } from "../db/assets/make-asset-store.ts";
import { bindQueries } from "../db/bind-queries.ts";
import type { DatabaseHandle } from "../db/database.ts";
import { deleteShare, findOpenShare, findShared, insertShare, listShares } from "../db/shares/share-rows.ts";
import {
  deleteIntegration,
  findIntegration,
  insertIntegration,
  listIntegrations,
} from "../db/storage/storage-integration-rows.ts";
import { makeTaskStore } from "../db/tasks/make-task-store.ts";
import { makeUploadStore } from "../db/uploads/make-upload-store.ts";
import { makeWebhookStore } from "../db/webhooks/make-webhook-store.ts";
import { deleteRealignment, findRealignment, insertRealignment } from "../db/words/realignment-rows.ts";
import { findEdit, saveEdit } from "../db/words/word-edit-rows.ts";
import type { Stores } from "../domain/stores.ts";
import type { QueueRules } from "../domain/tasks/queue-rules.ts";
import type { UploadRules } from "../domain/uploads/upload-record.ts";
import type { Vault } from "../domain/vault.ts";

/** The stores on the database, or on one transaction for all their work. */
export function makeStores(
  handle: DatabaseHandle,
  { rules, uploadRules, vault }: { rules: QueueRules; uploadRules: UploadRules; vault: Vault },
): Stores {
  return {
    tasks: makeTaskStore(handle, rules),
    assets: makeAssetStore(handle),
    webhooks: makeWebhookStore(handle, vault),
    integrations: bindQueries(handle, {
      insertIntegration,
      findIntegration,
      listIntegrations,
      deleteIntegration,
    }),
    accounts: makeAccountStore(handle),
    people: makePeopleStore(handle),
    words: bindQueries(handle, { findEdit, saveEdit }),
    realignments: bindQueries(handle, { insertRealignment, findRealignment, deleteRealignment }),
    uploads: makeUploadStore(handle, uploadRules),
    shares: bindQueries(handle, { insertShare, listShares, deleteShare, findOpenShare, findShared }),
  };
}
