import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig, makeChildEnvironment } from "./load-config.ts";
import { SECRET_NAMES } from "./read-secret-files.ts";

const dir = mkdtempSync(join(tmpdir(), "secrets-"));
afterAll(() => rmSync(dir, { recursive: true }));
const URL = "postgres://someone@db/none";
const path = join(dir, "url");
writeFileSync(path, `${URL}\n`);

describe("secrets in files", () => {
  it("[S1] NAME_FILE is read in place of NAME", () => {
    expect(loadConfig({ DATA_DIR: "/data", DATABASE_URL_FILE: path }).databaseUrl).toBe(URL);
    expect(loadConfig({ DATA_DIR: "/data", DATABASE_URL: URL, DATABASE_URL_FILE: " " }).databaseUrl).toBe(
      URL,
    );
  });

  it("[S1] a missing file, or a file in addition to the variable, is a mistake", () => {
    expect(() => loadConfig({ ENCRYPTION_KEY_FILE: "/none", PORT: "x" })).toThrow(
      /^2 setting.*ENCRYPTION_KEY_FILE is "\/none": ENOENT.*PORT is/s,
    );
    expect(() => loadConfig({ DATABASE_URL: URL, DATABASE_URL_FILE: path })).toThrow(/both set/);
  });

  it("[S1] docs/settings.md names them all", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8");
    const named = [...page.matchAll(/`([A-Z_]+)_FILE`/g)].map(([, name]) => name);
    expect(named.filter((name) => SECRET_NAMES.includes(name ?? "")).sort()).toEqual(
      [...SECRET_NAMES].sort(),
    );
  });

  it("[S1] a child gets the value, not the file", () => {
    const config = loadConfig({ DATA_DIR: "/data" });
    const given = makeChildEnvironment(config, { databaseUrl: URL, publicBaseUrl: "http://x" });
    expect(given.DATABASE_URL).toBe(URL);
    expect(given.DATABASE_URL_FILE).toBe("");
  });
});
