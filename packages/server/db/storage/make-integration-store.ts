import type { StorageIntegrationStore } from "../../domain/storage/storage-ports.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import * as integrations from "./storage-integration-rows.ts";

export function makeIntegrationStore(db: DatabaseHandle): StorageIntegrationStore {
  return {
    insertIntegration: (integration) => integrations.insertIntegration(db, integration),
    findIntegration: (scope, id) => integrations.findIntegration(db, scope, id),
    listIntegrations: (scope, page) => integrations.listIntegrations(db, scope, page),
    deleteIntegration: (scope, id) =>
      inTransaction(db, (transaction) => integrations.deleteIntegration(transaction, scope, id)),
  };
}
