import { writeSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBoundedLog } from "./bounded-log.ts";

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "stemwright-test-"));
  path = join(dir, "postgres.log");
});

afterEach(() => rm(dir, { recursive: true }));

test("a log past the limit is rotated and replaces the previous one", async () => {
  await writeFile(`${path}.1`, "older");
  await writeFile(path, Buffer.alloc(9 * 1024 * 1024, "x"));
  const log = await openBoundedLog(path);
  expect(await log.sizeBytes()).toBe(0);
  expect((await stat(`${path}.1`)).size).toBe(9 * 1024 * 1024);
  log.close();
});

test("text written after an offset can be read back", async () => {
  await writeFile(path, "before ");
  const log = await openBoundedLog(path);
  const offsetBytes = await log.sizeBytes();
  writeSync(log.fd, "after");
  expect(await log.readFrom(offsetBytes)).toBe("after");
  expect(await readFile(path, "utf8")).toBe("before after");
  log.close();
});

test("reads the end of a long text after an offset, and of a log rotated since", async () => {
  const log = await openBoundedLog(path);
  writeSync(log.fd, `${"x".repeat(100_000)} the last words`);
  expect(await log.readFrom(1)).toMatch(/^x+ the last words$/);
  await truncate(path);
  writeSync(log.fd, "new words");
  expect(await log.readFrom(100)).toBe("new words");
  log.close();
});
