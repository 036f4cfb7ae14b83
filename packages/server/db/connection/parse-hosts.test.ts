import { expect, it } from "vitest";
import { parseHosts } from "./parse-hosts.ts";

it.each([
  ["postgres://me:pw@one/db", ["one:5432"], "postgres://me:pw@one/db"],
  [
    "postgres://me:p%40@one:6000/db?sslmode=require",
    ["one:6000"],
    "postgres://me:p%40@one:6000/db?sslmode=require",
  ],
  ["postgresql://me@one:1,two:2,[::1]:3/db", ["one:1", "two:2", "::1:3"], "postgresql://me@one:1/db"],
  ["postgres://one,two/db?port=7", ["one:7", "two:7"], "postgres://one/db?port=7"],
  ["postgresql://me@/db?host=one,two&port=1,2", ["one:1", "two:2"], "postgresql://me@/db?host=one&port=1"],
  [
    "postgres://one,two/db?target_session_attrs=read-write&sslmode=no-verify",
    ["one:5432", "two:5432"],
    "postgres://one/db?sslmode=no-verify",
  ],
  ["postgres://one,two/db?target_session_attrs=primary", ["one:5432", "two:5432"], "postgres://one/db"],
  [
    "postgresql://me@/db?host=%2Frun%2Ca&port=5432",
    ["/run,a:5432"],
    "postgresql://me@/db?host=%2Frun%2Ca&port=5432",
  ],
])("[S35] several hosts are read as libpq does: %s", (url, hosts, firstUrl) => {
  const parsed = parseHosts(url);
  expect(parsed?.hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(hosts);
  expect(parsed?.firstUrl).toBe(firstUrl);
});

it.each([
  "mysql://one/db",
  "one:5432/db",
  "postgres://one:1,two:b/db",
  "postgres://one:99999,two/db",
  "postgres://one,/db",
])("[S35] %s is no URL of a database", (url) => expect(parseHosts(url)).toBeUndefined());
