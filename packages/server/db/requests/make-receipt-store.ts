import type { ReceiptStore } from "../../domain/requests/idempotency.ts";
import type { Stores } from "../../domain/stores.ts";
import type { Vault } from "../../domain/vault.ts";
import type { Database, DatabaseHandle } from "../database.ts";
import { findReceipt, setReceiptAnswer, takeReceipt } from "./receipt-rows.ts";

/** Responses are stored encrypted, since some contain a secret that is stored nowhere else. */
export function makeReceiptStore(options: {
  db: Database;
  vault: Vault;
  makeStores: (handle: DatabaseHandle) => Stores;
}): ReceiptStore {
  const { db, vault, makeStores } = options;
  const toContext = (clientId: string, key: string) => `receipt ${clientId} ${key}`;
  return {
    async findReceipt(clientId, key) {
      const found = await findReceipt(db, clientId, key);
      if (!found) return undefined;
      const answer = await vault.unseal(found.sealedResponse, toContext(clientId, key));
      const { principal, fingerprint } = found;
      return { principal, fingerprint, answer: JSON.parse(answer) as unknown };
    },
    keepAnswer: (receipt, work) =>
      db.transaction().execute(async (transaction) => {
        await takeReceipt(transaction, receipt);
        const answer = await work(makeStores(transaction));
        const { clientId, key } = receipt;
        const sealedResponse = await vault.seal(JSON.stringify(answer), toContext(clientId, key));
        await setReceiptAnswer(transaction, { clientId, key, sealedResponse });
        return answer;
      }),
  };
}
