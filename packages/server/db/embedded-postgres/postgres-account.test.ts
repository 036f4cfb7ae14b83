import { expect, test } from "vitest";
import { getFreeServerIds, isReservedId, parseAccountIds } from "./postgres-account.ts";

test("account files are read by name and id, other lines are skipped", () => {
  const text = "root:x:0:0:root:/root:/bin/sh\n\n# a comment\n+::::::\nnobody:x:65534:65534::/:\n";
  expect(parseAccountIds(text)).toEqual([
    { name: "root", id: 0 },
    { name: "nobody", id: 65_534 },
  ]);
});

test("the server's ids are from a range that no system assigns", async () => {
  const { uid, gid } = await getFreeServerIds();
  expect(isReservedId(uid)).toBe(true);
  expect(gid).toBe(uid);
  expect([0, 1000, 60_577, 61_184, 65_534].map(isReservedId)).toEqual(Array(5).fill(false));
});
