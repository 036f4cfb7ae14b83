import type { Transaction } from "kysely";
import { makeAccountStore } from "../db/accounts/make-account-store.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import { holdInputs } from "../db/assets/asset-rows.ts";
import { makeAssetStore } from "../db/assets/make-asset-store.ts";
import * as credits from "../db/credits/credit-rows.ts";
import type { DatabaseHandle, Tables } from "../db/database.ts";
import { inTransaction } from "../db/in-transaction.ts";
import * as shares from "../db/shares/share-rows.ts";
import { makeIntegrationStore } from "../db/storage/make-integration-store.ts";
import { holdIntegration } from "../db/storage/storage-integration-rows.ts";
import { disownFiles, findDisowned } from "../db/storage/unclaimed-file-rows.ts";
import { findQueuePositions } from "../db/tasks/queue-positions.ts";
import { cancelTask } from "../db/tasks/target-ends.ts";
import * as tasks from "../db/tasks/task-rows.ts";
import { countWaiting } from "../db/tasks/waiting-tasks.ts";
import { makeWebhookStore } from "../db/webhooks/make-webhook-store.ts";
import * as realignments from "../db/words/realignment-rows.ts";
import * as wordEdits from "../db/words/word-edit-rows.ts";
import { makeCreditsError, type Reservation, sumCredits } from "../domain/credits/credit-amounts.ts";
import type { TaskStore } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Stores } from "../domain/stores.ts";
import { toOutputFolder } from "../domain/tasks/output-names.ts";
import { isLong, type QueueRules } from "../domain/tasks/queue-rules.ts";
import type { Vault } from "../domain/vault.ts";

/** The stores over the database, or over one transaction of it, which they then do all their work in. */
export function makeStores(
  handle: DatabaseHandle,
  { rules, vault }: { rules: QueueRules; vault: Vault },
): Stores {
  return {
    tasks: makeTaskStore(handle, rules),
    assets: makeAssetStore(handle),
    webhooks: makeWebhookStore(handle, vault),
    integrations: makeIntegrationStore(handle),
    accounts: makeAccountStore(handle),
    people: makePeopleStore(handle),
    words: {
      findEdit: (targetId) => wordEdits.findEdit(handle, targetId),
      saveEdit: (targetId, change) => wordEdits.saveEdit(handle, targetId, change),
    },
    realignments: {
      insertRealignment: (realignment) => realignments.insertRealignment(handle, realignment),
      findRealignment: (targetId, id) => realignments.findRealignment(handle, targetId, id),
      deleteRealignment: (targetId, id) => realignments.deleteRealignment(handle, targetId, id),
    },
    shares: {
      insertShare: (taskId, share) => shares.insertShare(handle, taskId, share),
      listShares: (taskId) => shares.listShares(handle, taskId),
      deleteShare: (taskId, id) => shares.deleteShare(handle, taskId, id),
      findShared: (tokenHash) => shares.findShared(handle, tokenHash),
    },
  };
}

async function reserveOrRefuse(
  transaction: Transaction<Tables>,
  clientId: string,
  reservations: readonly Reservation[],
): Promise<void> {
  if (await credits.reserveCredits(transaction, clientId, reservations)) return;
  const { balance, reserved } = await credits.findCreditAccount(transaction, clientId);
  const needed = sumCredits(reservations.map(({ amount }) => amount));
  throw makeCreditsError(needed, sumCredits([balance, -reserved]));
}

/** Those that come in the same moment may exceed it by their number: a lock would make all creations of a client wait for each other. */
async function refuseTooMany(
  transaction: Transaction<Tables>,
  clientId: string,
  byDefault: number,
): Promise<void> {
  const { max, waiting } = await countWaiting(transaction, clientId, byDefault);
  if (max === 0 || waiting < max) return;
  throw new Refusal(
    "TASKS_WAITING_TOO_MANY",
    `The account has ${max} Tasks waiting, which is its limit; wait until some have run, or cancel some`,
  );
}

function makeTaskStore(db: DatabaseHandle, rules: QueueRules): TaskStore {
  return {
    insertTask: (task, reservations) =>
      inTransaction(db, async (transaction) => {
        if (task.storageIntegrationId !== undefined)
          await holdIntegration(transaction, task.storageIntegrationId);
        await refuseTooMany(transaction, task.clientId, rules.clientWaitingMax);
        await holdInputs(transaction, task);
        await tasks.insertTask(transaction, { ...task, isLong: isLong(task.audioSeconds, rules) });
        await reserveOrRefuse(transaction, task.clientId, reservations);
        return { queuePosition: (await findQueuePositions(transaction, [task.id])).get(task.id) ?? 0 };
      }),
    findTask: (clientId, id) => tasks.findTask(db, id, clientId),
    listTasks: (clientId, query) => tasks.listTasks(db, clientId, query),
    deleteTask: (clientId, id) =>
      inTransaction(db, async (transaction) => {
        const folder = toOutputFolder(id);
        const deleted = await tasks.deleteTask(transaction, clientId, id);
        if (!deleted) return (await findDisowned(transaction, clientId, folder)) !== undefined;
        const isWrittenTo = deleted.completed_at === null;
        await disownFiles(transaction, { keyPrefixes: [folder], clientId, isWrittenTo });
        return true;
      }),
    cancelTask: (clientId, id) => inTransaction(db, (transaction) => cancelTask(transaction, clientId, id)),
  };
}
