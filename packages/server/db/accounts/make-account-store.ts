import type { ApiKey, CreditEntry } from "@stemwright/contract";
import type { AccountStore } from "../../domain/accounts/account-store.ts";
import { bindQueries } from "../bind-queries.ts";
import * as credits from "../credits/credit-rows.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { changeClient, findClient, insertClient, listClients, setSuspended } from "./client-rows.ts";
import { deleteGrant, upsertGrant } from "./grant-rows.ts";
import * as keys from "./key-rows.ts";

type KeyRow = Awaited<ReturnType<typeof keys.listKeys>>[number];
type EntryRow = Awaited<ReturnType<typeof credits.listCreditEntries>>["items"][number];

const toApiKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  role: row.role,
  kind: row.kind,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
});

const toCreditEntry = (row: EntryRow): CreditEntry => ({
  id: row.id,
  kind: row.kind,
  amount: row.amount,
  balanceAfter: row.balance_after,
  ...(row.note === null ? {} : { note: row.note }),
  ...(row.task_id === null ? {} : { taskId: row.task_id }),
  ...(row.target_id === null ? {} : { targetId: row.target_id }),
  ...(row.key_id === null ? {} : { keyId: row.key_id }),
  createdAt: row.created_at.toISOString(),
});

export function makeAccountStore(db: DatabaseHandle): AccountStore {
  const findKey = async (id: string) => {
    const row = await keys.findKey(db, id);
    return row && toApiKey(row);
  };
  return {
    ...bindQueries(db, { insertClient, findClient, listClients, changeClient, setSuspended }),
    ...bindQueries(db, { upsertGrant, deleteGrant }),
    async insertKey(clientId, key) {
      const id = await keys.insertKey(db, { clientId, ...key });
      const inserted = await findKey(id);
      if (!inserted) throw new Error(`key ${id} disappeared right after it was created`);
      return inserted;
    },
    listKeys: async (clientId) => (await keys.listKeys(db, clientId)).map(toApiKey),
    findKey,
    revokeKey: async (id) => void (await keys.revokeKey(db, id)),
    async grantCredits(clientId, grant) {
      const row = await inTransaction(db, (transaction) =>
        credits.insertCreditGrant(transaction, { clientId, ...grant }),
      );
      return row && toCreditEntry(row);
    },
    async listCreditEntries(clientId, page) {
      const { items, total } = await credits.listCreditEntries(db, clientId, page);
      return { items: items.map(toCreditEntry), total };
    },
  };
}
