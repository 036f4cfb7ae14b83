import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { ADVISORY_LOCKS } from "../advisory-locks.ts";
import { BASELINE, KNOWN_MIGRATIONS, listSchemaFiles, MIGRATIONS_DIR } from "./known-migrations.ts";
import { findNeeds } from "./load-migration.ts";
import { findContractions } from "./support/find-contractions.ts";

/** The newest migration of each release. Each release adds a line. */
const RELEASED: Record<string, string> = {};
const newestBefore = Object.entries(RELEASED)
  .filter(([version]) => version !== packageFile.version)
  .map(([, name]) => name)
  .sort()
  .at(-1);

describe("migrations", () => {
  it("[S9] begin with the baseline", () => expect(KNOWN_MIGRATIONS[0]).toBe(BASELINE));

  // The baseline was made before the first release: processes that don't know it stop working on its schema.
  it.each(KNOWN_MIGRATIONS.filter((name) => name > BASELINE))(
    "[S9] %s expands, or takes away what no earlier release uses",
    (name) => {
      const sql = readFileSync(join(MIGRATIONS_DIR, name), "utf8");
      const needs = findNeeds(sql);
      // What is removed was unused in the previous release, which has the migration that replaced it.
      const isAllowed = needs !== undefined && needs <= (newestBefore ?? "");
      if (needs !== undefined) expect(KNOWN_MIGRATIONS).toContain(needs);
      expect(isAllowed ? [] : findContractions(sql)).toEqual([]);
    },
  );

  it("[Q5] use only the advisory locks listed for their functions", () => {
    const files = [...listSchemaFiles(), ...KNOWN_MIGRATIONS.map((name) => join(MIGRATIONS_DIR, name))];
    const locks = files.flatMap((path) => {
      const sql = readFileSync(path, "utf8");
      const functions = sql.matchAll(/create (?:or replace )?function (\w+).*?\$\$(.*?)\$\$/gs);
      return [...functions].flatMap(([, name, body = ""]) =>
        [...body.matchAll(/advisory\w*\((\d+)\)/g)].map(([, lock]) => `${name} ${lock}`),
      );
    });
    expect([...new Set(locks)].sort()).toEqual([
      `claim_realignment ${ADVISORY_LOCKS.realignmentClaims}`,
      `claim_task ${ADVISORY_LOCKS.claims}`,
      `set_task_length ${ADVISORY_LOCKS.claims}`,
    ]);
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it.each([
    "alter table tasks drop column url",
    "ALTER TABLE tasks\n  DROP url",
    "drop table tasks",
    "drop function claim_task(text)",
    "drop type colour",
    "alter table tasks alter column url type bytea",
    "alter table tasks alter url set data type bytea",
    "alter table tasks alter column url set not null",
    "alter table tasks rename column url to address",
    "alter table tasks rename to jobs",
    "alter table tasks add column size bigint not null",
    "alter table tasks add constraint tasks_url check (url <> '')",
    "truncate tasks",
  ])("[S9] %s takes something away", (sql) => expect(findContractions(sql)).toHaveLength(1));

  it.each([
    "create table boxes (id text primary key, size bigint not null)",
    "alter table tasks add column size bigint",
    "alter table tasks add column size bigint not null default 0, add column note text",
    "create index tasks_by_size on tasks (size); drop index tasks_by_url",
    "alter table boxes drop constraint boxes_size_check; alter table tasks alter column url drop not null",
    "alter table tasks add constraint tasks_url check (url <> '') not valid",
    "-- drop table tasks\nselect 'drop table tasks'",
    "create or replace function f() returns void language sql as $$ delete from boxes; drop table x $$",
  ])("[S9] %s does not", (sql) => expect(findContractions(sql)).toEqual([]));
});
