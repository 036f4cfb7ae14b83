import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { estimateReservations } from "../../domain/credits/target-costs.ts";
import { makeId } from "../../domain/ids.ts";
import type { TargetEnd } from "../../domain/tasks/task-record.ts";
import { insertClient } from "../accounts/client-rows.ts";
import type { DatabaseHandle } from "../database.ts";
import { sweepTasks } from "../storage/retention.ts";
import { endTarget } from "../tasks/target-ends.ts";
import * as tasks from "../tasks/task-rows.ts";
import * as credits from "./credit-rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

type Made = { taskId: string; targetId: string };
const ENDS: Record<"completed" | "error", TargetEnd> = {
  completed: { status: "completed", durationSeconds: 60, output: [] },
  error: { status: "error", error: { code: 9001, message: "failed" } },
};

/** Every operation that moves credits, each in its own transaction, as in the service. */
function makeMoves(clientId: string, made: Made[]) {
  const inTransaction = <Result>(work: (db: DatabaseHandle) => Promise<Result>) =>
    database.db.transaction().execute(work);
  const pick = (index: number) => made[index % Math.max(1, made.length)];
  return {
    grant: (amount: number) =>
      inTransaction((db) =>
        credits.insertCreditGrant(db, { clientId, kind: "grant", amount, note: "Test", keyId: "none" }),
      ),
    async create(models: readonly { model: string; creditsPerMinute: number }[], minutes: number) {
      const taskId = makeId();
      const targets = models.map((target) => ({ ...target, id: makeId(), formats: ["wav"] }));
      await inTransaction(async (db) => {
        const createdAt = new Date();
        await tasks.insertTask(db, { id: taskId, clientId, createdAt, url: "https://x.example", targets });
        if (!(await credits.reserveCredits(db, clientId, estimateReservations(targets, minutes * 60))))
          throw new Error("refused");
      }).then(
        () => made.push(...targets.map(({ id }) => ({ taskId, targetId: id }))),
        () => undefined,
      );
    },
    async cover(index: number, minutes: number) {
      const task = pick(index);
      if (task)
        await inTransaction((db) => credits.raiseReservations(db, { id: task.taskId, clientId }, minutes));
    },
    async finish(index: number, how: "completed" | "error") {
      const task = pick(index);
      if (task)
        await inTransaction((db) =>
          endTarget(db, { taskId: task.taskId, targetId: task.targetId, end: ENDS[how] }),
        );
    },
    async remove(index: number) {
      const task = pick(index);
      if (task) await inTransaction((db) => tasks.deleteTask(db, clientId, task.taskId));
    },
    /** As if everything finished were old. */
    purge: () =>
      database.db
        .transaction()
        .execute((db) => sweepTasks(db, { before: new Date(Date.now() + 60_000), limit: 2 })),
  };
}
type Moves = ReturnType<typeof makeMoves>;

const micros = (max: number) => fc.integer({ min: 1, max }).map((n) => n / 1_000_000);
const NAMES = ["vocals", "transcription", "alignment"] as const;
/** Some targets at their models' rates, which may differ widely. */
const models = fc
  .tuple(
    fc.tuple(micros(2_000_000), micros(2_000_000), fc.constantFrom(0, 0.1, 1)),
    fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 4 }),
  )
  .map(([rates, picks]) =>
    picks.map((at) => ({ model: NAMES[at] ?? "vocals", creditsPerMinute: rates[at] ?? 0 })),
  );
const move: fc.Arbitrary<(moves: Moves) => Promise<unknown>> = fc.oneof(
  micros(9_000_000).map((amount) => (moves: Moves) => moves.grant(amount)),
  micros(5_000_000).map((amount) => (moves: Moves) => moves.grant(-amount)),
  fc.tuple(models, fc.integer({ min: 1, max: 3 })).map(
    ([targets, minutes]) =>
      (moves: Moves) =>
        moves.create(targets, minutes),
  ),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 5 })).map(
    ([index, minutes]) =>
      (moves: Moves) =>
        moves.cover(index, minutes),
  ),
  fc.tuple(fc.nat(), fc.constantFrom("completed" as const, "error" as const)).map(
    ([index, how]) =>
      (moves: Moves) =>
        moves.finish(index, how),
  ),
  fc.nat().map((index) => (moves: Moves) => moves.remove(index)),
  fc.constant((moves: Moves) => moves.purge()),
);

it("[B1] [B6] [R6] under any concurrency, the account is the sum of its entries and reservations, and never below zero", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(move, { minLength: 1, maxLength: 8 }), { maxLength: 8 }),
      async (rounds) => {
        const clientId = makeId();
        await insertClient(database.db, { id: clientId, name: "Test", isMetered: true });
        const moves = makeMoves(clientId, []);
        for (const round of rounds) {
          await Promise.all(round.map((run) => run(moves)));
          const { balance, reserved } = await credits.findCreditAccount(database.db, clientId);
          const { rows } = await database.pool.query(
            `select coalesce((select sum(amount) from credit_entries where client_id = $1), 0) as balance,
                  coalesce((select sum(amount) from credit_reservations where client_id = $1), 0) as reserved`,
            [clientId],
          );
          expect(rows).toEqual([{ balance, reserved }]);
          expect(reserved).toBeGreaterThanOrEqual(0);
          expect(balance).toBeGreaterThanOrEqual(reserved);
        }
      },
    ),
    { numRuns: 40, seed: 20_261_115 },
  );
});

it.each([
  ["in their order", ["transcription", "alignment"], "completed", 0],
  ["the other way round", ["alignment", "transcription"], "completed", 0],
  ["and the first of them fails", ["transcription", "alignment"], "error", 0.5],
  ["and the second of them fails first", ["alignment", "transcription"], "error", 0.5],
] as const)(
  "[B2] [B5] a pair needs what it is estimated at, when its targets end %s",
  async (_, order, first, left) => {
    const clientId = makeId();
    await insertClient(database.db, { id: clientId, name: "Test", isMetered: true });
    const made: Made[] = [];
    const moves = makeMoves(clientId, made);
    await moves.grant(1.5);
    const rates = { creditsPerMinute: 1 };
    await moves.create(
      [
        { model: "transcription", ...rates },
        { model: "alignment", ...rates },
      ],
      1,
    );
    expect(await credits.findCreditAccount(database.db, clientId)).toMatchObject({
      balance: 1.5,
      reserved: 1.5,
    });
    const indexOf = { transcription: 0, alignment: 1 };
    await moves.cover(0, 1);
    await moves.finish(indexOf[order[0]], first);
    await moves.finish(indexOf[order[1]], "completed");
    expect(await credits.findCreditAccount(database.db, clientId)).toMatchObject({
      balance: left,
      reserved: 0,
    });
  },
);
