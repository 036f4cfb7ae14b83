import { expect, it } from "vitest";
import { hashKey, makeKey } from "./accounts/key-secrets.ts";
import { isId, makeId } from "./ids.ts";

it("[G6] ids are lower case, URL-safe, 24 to 36 characters, and never repeat", () => {
  const ids = Array.from({ length: 10_000 }, makeId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{24,36}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every(isId)).toBe(true);
});

it.each(["", "a", "x".repeat(61), "a/b", "a\0b", "../x", "ABC", "ä"])("[E4] %j can't be an id", (text) => {
  expect(isId(text)).toBe(false);
});

it("[K2] a key is sw_ and 40 letters and digits, and its hash reveals nothing about it", () => {
  const key = makeKey();
  expect(key).toMatch(/^sw_[0-9A-Za-z]{40}$/);
  expect(makeKey()).not.toBe(key);
  expect(hashKey(key)).toHaveLength(32);
  expect(hashKey(key).toString("latin1")).not.toContain(key.slice(3));
});
