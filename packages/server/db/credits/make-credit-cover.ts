import type { CreditCover } from "../../domain/credits/credit-cover.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { hasReservations, raiseReservations } from "./credit-rows.ts";

export function makeCreditCover(db: DatabaseHandle): CreditCover {
  return {
    hasReservations: (taskId) => hasReservations(db, taskId),
    coverMinutes: ({ id, clientId }, minutes) =>
      inTransaction(db, (transaction) => raiseReservations(transaction, { taskId: id, clientId, minutes })),
  };
}
