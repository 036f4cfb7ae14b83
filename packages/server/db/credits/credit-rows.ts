import { type CreditEntryKind, MAX_CREDITS, type PageQuery } from "@stemwright/contract";
import { sql } from "kysely";
import { type Reservation, sumCredits } from "../../domain/credits/credit-amounts.ts";
import { areFree, coverMinutes, passOnRest } from "../../domain/credits/reservations.ts";
import { isPaired } from "../../domain/credits/target-costs.ts";
import { makeId } from "../../domain/ids.ts";
import type { Listed } from "../../domain/ports.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { listPage } from "../list-page.ts";

export type CreditAccount = { balance: number; reserved: number };
type CreditEntryRow = Omit<Tables["credit_entries"], "position" | "created_at"> & { created_at: Date };

export async function findCreditAccount(db: DatabaseHandle, clientId: string): Promise<CreditAccount> {
  const row = await db
    .selectFrom("credit_accounts")
    .select(["balance", "reserved"])
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row ?? { balance: 0, reserved: 0 };
}

/**
 * Reserves credits for a new Task of a metered client; returns false if there are too few. The condition is checked under the account's row lock, so
 * concurrent creations see each other.
 */
export async function reserveCredits(
  db: DatabaseHandle,
  clientId: string,
  reservations: readonly Reservation[],
): Promise<boolean> {
  const { is_metered } = await db
    .selectFrom("clients")
    .select("is_metered")
    .where("id", "=", clientId)
    .executeTakeFirstOrThrow();
  if (!is_metered) return true;
  const total = sumCredits(reservations.map(({ amount }) => amount));
  const { numUpdatedRows } = await db
    .updateTable("credit_accounts")
    .set({ reserved: sql`reserved + ${total}` })
    .where("client_id", "=", clientId)
    .where(sql<boolean>`balance - reserved >= ${total}`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n && total > 0) return false;
  await db
    .insertInto("credit_reservations")
    .values(
      reservations.map(({ targetId, amount }) => ({ target_id: targetId, client_id: clientId, amount })),
    )
    .execute();
  return true;
}

/** Whether a Task has reservations: its client was metered when it was created. */
export async function hasReservations(db: DatabaseHandle, taskId: string): Promise<boolean> {
  const row = await db
    .selectFrom("credit_reservations")
    .innerJoin("targets", "targets.id", "credit_reservations.target_id")
    .select("target_id")
    .where("targets.task_id", "=", taskId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Raises a Task's reservations to cover this many minutes, or as many as the account can pay for; returns the minutes covered. Already done if a target
 * has completed. Locks the Task first, like the end of a target, so that the two can't deadlock.
 */
export const raiseReservations = (
  db: DatabaseHandle,
  task: { id: string; clientId: string },
  minutes: number,
): Promise<number> => inTransaction(db, (transaction) => raiseLocked(transaction, task, minutes));

async function raiseLocked(
  db: DatabaseHandle,
  { id: taskId, clientId }: { id: string; clientId: string },
  wanted: number,
): Promise<number> {
  await db.selectFrom("tasks").select("id").where("id", "=", taskId).forUpdate().execute();
  const targets = await db
    .selectFrom("targets")
    .leftJoin("credit_reservations", "credit_reservations.target_id", "targets.id")
    .select(["targets.id", "model", "status", "credits_per_minute", "amount"])
    .where("targets.task_id", "=", taskId)
    .orderBy("position")
    .execute();
  if (targets.some(({ status }) => status === "completed")) return wanted;
  const held = targets.flatMap(({ id, model, credits_per_minute, amount }) =>
    amount === null ? [] : [{ id, model, creditsPerMinute: credits_per_minute, amount }],
  );
  if (areFree(held)) return wanted;
  const { balance, reserved } = await db
    .selectFrom("credit_accounts")
    .selectAll()
    .where("client_id", "=", clientId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { minutes, changes } = coverMinutes(held, { wanted, free: sumCredits([balance, -reserved]) });
  await changeReservations(db, clientId, changes);
  return minutes;
}

async function changeReservations(
  db: DatabaseHandle,
  clientId: string,
  changes: readonly { id: string; amount: number; more: number }[],
): Promise<void> {
  if (changes.length === 0) return;
  await db
    .updateTable("credit_accounts")
    .set({ reserved: sql`reserved + ${sumCredits(changes.map(({ more }) => more))}` })
    .where("client_id", "=", clientId)
    .execute();
  for (const { id, amount } of changes)
    await db.updateTable("credit_reservations").set({ amount }).where("target_id", "=", id).execute();
}

/** When a target ends: releases its reservation and charges its cost. Does nothing for an unmetered client. */
export async function settleTarget(
  db: DatabaseHandle,
  options: { taskId: string; targetId: string; cost: number },
): Promise<void> {
  const { taskId, targetId, cost } = options;
  const released = await db
    .deleteFrom("credit_reservations")
    .using("targets")
    .whereRef("targets.id", "=", "target_id")
    .where("target_id", "=", targetId)
    .returning(["client_id", "amount", "model"])
    .executeTakeFirst();
  if (!released) return;
  if (isPaired(released.model))
    await passOnReservation(db, {
      taskId,
      clientId: released.client_id,
      rest: sumCredits([released.amount, -cost]),
    });
  if (cost === 0) return;
  await addEntry(db, {
    client_id: released.client_id,
    kind: "charge",
    amount: -cost,
    note: null,
    task_id: taskId,
    target_id: targetId,
    key_id: null,
  });
}

/** Moves the rest of a reservation to the Task's other targets. */
async function passOnReservation(
  db: DatabaseHandle,
  { taskId, clientId, rest }: { taskId: string; clientId: string; rest: number },
): Promise<void> {
  const held = await db
    .selectFrom("credit_reservations")
    .innerJoin("targets", "targets.id", "credit_reservations.target_id")
    .select(["targets.id", "amount", "model"])
    .where("targets.task_id", "=", taskId)
    .orderBy("amount", "desc")
    .execute();
  await changeReservations(db, clientId, passOnRest(held, rest));
}

/** An administrator's entry; undefined if it would use reserved credits, or exceed what an account can hold. */
export async function insertCreditGrant(
  db: DatabaseHandle,
  grant: { clientId: string; kind: CreditEntryKind; amount: number; note: string; keyId: string },
): Promise<CreditEntryRow | undefined> {
  await db
    .insertInto("credit_accounts")
    .values({ client_id: grant.clientId })
    .onConflict((conflict) => conflict.column("client_id").doNothing())
    .execute();
  const fits = await db
    .selectFrom("credit_accounts")
    .select("client_id")
    .where("client_id", "=", grant.clientId)
    .where(sql<boolean>`balance - reserved + ${grant.amount} >= 0`)
    .where(sql<boolean>`balance + ${grant.amount} <= ${MAX_CREDITS}`)
    .forUpdate()
    .executeTakeFirst();
  if (!fits) return undefined;
  return await addEntry(db, {
    client_id: grant.clientId,
    kind: grant.kind,
    amount: grant.amount,
    note: grant.note,
    task_id: null,
    target_id: null,
    key_id: grant.keyId,
  });
}

async function addEntry(
  db: DatabaseHandle,
  entry: Omit<CreditEntryRow, "id" | "created_at" | "balance_after">,
): Promise<CreditEntryRow> {
  const { balance } = await db
    .updateTable("credit_accounts")
    .set({ balance: sql`balance + ${entry.amount}` })
    .where("client_id", "=", entry.client_id)
    .returning("balance")
    .executeTakeFirstOrThrow();
  return await db
    .insertInto("credit_entries")
    .values({ ...entry, id: makeId(), balance_after: balance })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function listCreditEntries(
  db: DatabaseHandle,
  clientId: string,
  page: PageQuery,
): Promise<Listed<CreditEntryRow>> {
  const entries = db.selectFrom("credit_entries").where("client_id", "=", clientId);
  const { total } = await entries
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return await listPage(total, page, () =>
    entries.selectAll().orderBy("position", "desc").offset(page.skip).limit(page.take).execute(),
  );
}
