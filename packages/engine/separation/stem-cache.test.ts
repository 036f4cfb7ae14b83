import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { StemCache, stemCacheFolder } from "./stem-cache.ts";
import { forgetStems, sweepStemCache } from "./sweep-stem-cache.ts";

const SIZE_BYTES = 1000;

const folders: string[] = [];
let cacheDir = "";
let workDir = "";

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-cache-"));
  folders.push(folder);
  cacheDir = join(folder, "cache");
  workDir = mkdtempSync(join(folder, "work-"));
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const openCache = (limitBytes = 10 * SIZE_BYTES) => new StemCache(stemCacheFolder(cacheDir), limitBytes);
const userOf = (owner: string, scope = "client") => ({ scope, owner });

/** Caches a stem of an input as a finished pass does. */
function keepStem(cache: StemCache, input: string, owner = "task") {
  const path = join(workDir, `made-${input}`);
  writeFileSync(path, Buffer.alloc(SIZE_BYTES, input));
  cache.keep({ madeFrom: { input, weights: "w" }, stem: "vocals", path }, userOf(owner));
  return path;
}

function findStem(cache: StemCache, input: string, options: { scope?: string; weights?: string } = {}) {
  const path = join(workDir, `found-${input}`);
  rmSync(path, { force: true });
  const madeFrom = { input, weights: options.weights ?? "w" };
  const wanted = { madeFrom, stem: "vocals", path, sizeBytes: SIZE_BYTES };
  return cache.lend(wanted, userOf("reader", options.scope)) ? readFileSync(path, "latin1") : undefined;
}

describe("StemCache", () => {
  it("[P1] returns a stem after its work folder is gone, only within the same scope", () => {
    const cache = openCache();
    rmSync(keepStem(cache, "a"));
    expect(findStem(cache, "a")).toBe("a".repeat(SIZE_BYTES));
    expect(findStem(cache, "b")).toBeUndefined();
    expect(findStem(cache, "a", { weights: "other" })).toBeUndefined();
    expect(findStem(cache, "a", { scope: "another client" })).toBeUndefined();
  });

  it("[P1] does not lend an incomplete stem, and stores the complete one again", () => {
    const cache = openCache();
    const path = keepStem(cache, "a");
    rmSync(path);
    const [entry = ""] = readdirSync(stemCacheFolder(cacheDir));
    truncateSync(join(stemCacheFolder(cacheDir), entry, "vocals"), SIZE_BYTES - 4);
    expect(findStem(cache, "a")).toBeUndefined();
    keepStem(cache, "a");
    expect(findStem(cache, "a")).toBe("a".repeat(SIZE_BYTES));
  });

  it("[P2] evicts the least recently used entries", () => {
    const cache = openCache(2 * SIZE_BYTES);
    for (const [input, secondsAgo] of [
      ["a", 20],
      ["b", 10],
    ] as const) {
      const used = Date.now() / 1000 - secondsAgo;
      // A hard link: it shares the entry's times.
      utimesSync(keepStem(cache, input), used, used);
    }
    findStem(cache, "a");
    keepStem(cache, "c");
    expect(["a", "b", "c"].map((input) => findStem(cache, input) !== undefined)).toEqual([true, false, true]);
    keepStem(openCache(SIZE_BYTES - 1), "d");
    expect(findStem(cache, "d")).toBeUndefined();
  });

  it("[P3] removes entries of a single owner at once", async () => {
    const cache = openCache();
    keepStem(cache, "a", "first");
    keepStem(cache, "a", "second");
    expect(await forgetStems(cacheDir, "first")).toBe(0);
    expect(await forgetStems(cacheDir, "second")).toBe(1);
    expect(findStem(cache, "a")).toBeUndefined();
  });

  it("[P3] keeps an entry for everyone it was lent to", async () => {
    const cache = openCache();
    keepStem(cache, "a", "first");
    findStem(cache, "a");
    expect(await sweepStemCache(cacheDir, async (owner) => owner === "reader")).toBe(0);
    expect(findStem(cache, "a")).toBeDefined();
    expect(await sweepStemCache(cacheDir, async () => false)).toBe(1);
    expect(readdirSync(stemCacheFolder(cacheDir))).toEqual([]);
  });

  it("[P3] finishes removals that a killed process had started", async () => {
    keepStem(openCache(), "a");
    const [entry = ""] = readdirSync(stemCacheFolder(cacheDir));
    rmSync(join(stemCacheFolder(cacheDir), entry, "owners"), { recursive: true });
    expect(await sweepStemCache(cacheDir, async () => true)).toBe(1);
    expect(readdirSync(stemCacheFolder(cacheDir))).toEqual([]);
  });

  it("[P3] does not block the event loop while removing", async () => {
    for (const input of ["a", "b"]) keepStem(openCache(), input);
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns < 2) setImmediate(count);
    };
    setImmediate(count);
    expect(await sweepStemCache(cacheDir, async () => false)).toBe(2);
    expect(turns).toBe(2);
  });

  it("a failed write never fails the request", () => {
    writeFileSync(cacheDir, "a file where the folder should be");
    keepStem(openCache(), "a");
    expect(existsSync(join(workDir, "made-a"))).toBe(true);
    expect(findStem(openCache(), "a")).toBeUndefined();
  });
});
