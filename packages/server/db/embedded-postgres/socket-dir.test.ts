import { expect, test } from "vitest";
import { canHoldSocket } from "./socket-dir.ts";

test("a socket's path has at most 107 bytes", () => {
  const name = "/.s.PGSQL.5432";
  expect(canHoldSocket(`/${"a".repeat(106 - name.length)}`)).toBe(true);
  expect(canHoldSocket(`/${"a".repeat(107 - name.length)}`)).toBe(false);
});

test.each(["/a,b", '/a"b', "/a b", "/é"])("PostgreSQL's list of folders cannot hold %s unquoted", (dir) => {
  expect(canHoldSocket(dir)).toBe(false);
});
