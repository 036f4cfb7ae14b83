import type { Transaction } from "kysely";
import { makeCreditsError, type Reservation, sumCredits } from "../../domain/credits/credit-amounts.ts";
import type { TaskStore } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import { toOutputFolder } from "../../domain/tasks/output-names.ts";
import { isLong, type QueueRules } from "../../domain/tasks/queue-rules.ts";
import { holdInputs } from "../assets/asset-rows.ts";
import * as credits from "../credits/credit-rows.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { holdIntegration } from "../storage/storage-integration-rows.ts";
import { disownFiles, findDisowned } from "../storage/unclaimed-file-rows.ts";
import { findQueuePositions } from "./queue-positions.ts";
import { cancelTask } from "./target-ends.ts";
import * as tasks from "./task-rows.ts";
import { countWaiting } from "./waiting-tasks.ts";

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

/** Concurrent requests may exceed the limit by their number: a lock would serialise all creations of a client. */
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

export function makeTaskStore(db: DatabaseHandle, rules: QueueRules): TaskStore {
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
