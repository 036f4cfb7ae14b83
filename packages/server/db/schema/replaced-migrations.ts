import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../faults/start-error.ts";
import type { DumpedTable } from "../backup/dump-rows.ts";
import { BASELINE, MIGRATIONS_DIR } from "./known-migrations.ts";

/** A table of a backup, and how its columns were called then. */
export type RestoredTable = DumpedTable & { formerNames: ReadonlyMap<string, string> };

const readBaseline = () => readFileSync(join(MIGRATIONS_DIR, BASELINE), "utf8");

/** `-- replaces: FIRST to LAST`: releases whose newest migration is one of these are upgraded by the baseline's migration. */
function readRange(): { first: string; last: string } {
  const [, first, last] = /^-- replaces: (\S+) to (\S+)$/m.exec(readBaseline()) ?? [];
  if (first === undefined || last === undefined) throw new Error(`${BASELINE} does not say what it replaces`);
  return { first, last };
}

/** Whether the baseline replaced this migration. */
export const isReplaced = (name: string): boolean => /^\d{4}_/.test(name) && name <= readRange().last;

/** Refuses a schema from before the oldest release that the baseline can upgrade, and that of another program. */
export function checkUpgradable(applied: ReadonlySet<string>): void {
  const { first } = readRange();
  if (!applied.has(first))
    throw new StartError(
      `The schema lacks ${first}: it belongs to another program, or to a version too old to upgrade. Use an empty database`,
    );
}

/** The table of the current schema for one of a backup made before the baseline; undefined if it was dropped. */
export function findRestoredTable({ name, columns }: DumpedTable): RestoredTable | undefined {
  let current = name;
  const renamed = new Map(columns.map((column) => [column, column]));
  const changes = readBaseline().matchAll(
    /^(?:drop table (?<gone>\w+)|alter table (?<table>\w+) (?:rename to (?<to>\w+)|rename column (?<from>\w+) to (?<column>\w+)|drop column (?<unused>\w+)));$/gm,
  );
  for (const { groups = {} } of changes) {
    const { gone, table, to, from, column, unused } = groups;
    if (gone === current) return undefined;
    if (table !== current) continue;
    if (to !== undefined) current = to;
    if (from !== undefined && column !== undefined && renamed.has(from)) renamed.set(from, column);
    if (unused !== undefined) renamed.delete(unused);
  }
  return {
    name: current,
    columns: [...renamed.values()],
    formerNames: new Map([...renamed].filter(([from, to]) => from !== to).map(([from, to]) => [to, from])),
  };
}
