import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { API_ERRORS, TARGET_ERRORS } from "@stemwright/contract";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../packages/cli/exit-codes.ts";
import { SETTINGS } from "../packages/server/config/settings.ts";

const PROJECT_DIR = join(import.meta.dirname, "..");
const page = (name: string) => readFileSync(join(PROJECT_DIR, "docs", name), "utf8");

/** The cells of a page's table rows, without headers. */
const rowsOf = (markdown: string) =>
  markdown
    .split("\n")
    .filter((line) => line.startsWith("| `") || /^\| \d/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(" | ")
        .map((cell) => cell.trim()),
    );

async function listTestFiles(): Promise<string[]> {
  const entries = await readdir(PROJECT_DIR, { recursive: true });
  return entries.filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"));
}

type Manifest = {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  scarfSettings?: { enabled: boolean };
};

/** Every package.json of the project, by the name docs/dependencies.md uses for it. */
async function readManifests(): Promise<{ place: string; manifest: Manifest }[]> {
  const packages = await readdir(join(PROJECT_DIR, "packages"));
  const places = [
    { place: "root", folder: "." },
    ...packages.map((name) => ({ place: name, folder: `packages/${name}` })),
    { place: "test-clients", folder: "test/clients" },
  ];
  return Promise.all(
    places.map(async ({ place, folder }) => ({
      place,
      manifest: JSON.parse(await readFile(join(PROJECT_DIR, folder, "package.json"), "utf8")),
    })),
  );
}

describe("documents say what the code does", () => {
  it("[M10] docs/deployment.md lists the packages that carry weights", async () => {
    const folder = join(PROJECT_DIR, "models");
    const manifests = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")),
    );
    const packages = manifests.flatMap((text) =>
      [...text.matchAll(/"package": "(.+)"/g)].map(([, name]) => name),
    );
    const listed = rowsOf(page("deployment.md").split("## Weights")[1] ?? "").map(([name]) => name);
    expect(listed.sort()).toEqual([...new Set(packages)].sort().map((name) => `\`${name}\``));
  });

  it("[E1] docs/errors.md lists exactly the errors of the code", () => {
    const requestErrors = Object.entries(API_ERRORS).map(([code, { statusCode, when }]) => [
      `\`${code}\``,
      String(statusCode),
      when,
    ]);
    const targetErrors = Object.entries(TARGET_ERRORS).map(([name, { code, when }]) => [
      String(code),
      `\`${name}\``,
      when,
    ]);
    expect(rowsOf(page("errors.md"))).toEqual([...requestErrors, ...targetErrors]);
  });

  it("[S22] docs/cli.md lists exactly the exit codes of the command", () => {
    const codes = Object.values(EXIT_CODES).map(({ code, when }) => [String(code), when]);
    expect(rowsOf(page("cli.md")).filter(([code = ""]) => /^\d/.test(code))).toEqual(codes);
  });

  it("[T7] target error numbers are unique", () => {
    const codes = Object.values(TARGET_ERRORS).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("[S1] docs/settings.md lists exactly the settings of the code", () => {
    const settings = Object.entries(SETTINGS).map(([name, setting]) => {
      const byDefault = "default" in setting && setting.default !== "" ? `\`${setting.default}\`` : "";
      return [`\`${name}\``, byDefault, setting.description];
    });
    expect(rowsOf(page("settings.md"))).toEqual(settings);
  });

  it("docs/dependencies.md lists exactly the direct dependencies of every package.json, and who uses them", async () => {
    const usedBy = new Map<string, string[]>();
    for (const { place, manifest } of await readManifests()) {
      const { dependencies, devDependencies, optionalDependencies } = manifest;
      for (const name of Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
        if (!name.startsWith("@stemwright/")) usedBy.set(name, [...(usedBy.get(name) ?? []), place]);
      }
    }
    const listed = rowsOf(page("dependencies.md")).filter((row) => row.length === 4);
    const expected = [...usedBy].map(([name, places]) => [`\`${name}\``, places.sort().join(", ")]);
    expect(listed.map(([name, places]) => [name, places?.split(", ").sort().join(", ")]).sort()).toEqual(
      expected.sort(),
    );
    expect(listed.filter((row) => row.some((cell) => cell === ""))).toEqual([]);
  });

  it("no install script runs, docs/dependencies.md names the packages that have one, and Scarf is off", async () => {
    const ignored = execFileSync("npm", ["config", "get", "ignore-scripts"], {
      cwd: PROJECT_DIR,
      encoding: "utf8",
    });
    expect(ignored.trim()).toBe("true");
    const lock = JSON.parse(await readFile(join(PROJECT_DIR, "package-lock.json"), "utf8")) as {
      packages: Record<string, { hasInstallScript?: true; dependencies?: Record<string, string> }>;
    };
    const entries = Object.entries(lock.packages).map(([path, entry]) => ({
      name: path.replace(/^.*node_modules\//, ""),
      ...entry,
    }));
    const named = page("dependencies.md").split("its script would do")[1]?.split("\n\n")[0] ?? "";
    expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(
      entries.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name),
    );
    const bringScarf = entries.filter(({ dependencies }) => dependencies?.["@scarf/scarf"]);
    expect(bringScarf.map(({ name }) => name)).toEqual(["swagger-ui-dist"]);
    const turnedOff = (await readManifests()).filter(
      ({ manifest }) => manifest.scarfSettings?.enabled === false,
    );
    expect(turnedOff.map(({ place }) => place)).toEqual(["root", "server"]);
  });

  it("docs/specification.md has its sections in order, each rule in the section of its letter, and an index of them", () => {
    const text = page("specification.md");
    const sections = [...text.matchAll(/^## ([A-Z]{1,2}) — (.+)$/gm)].map(([, letter, title]) => ({
      letter,
      title,
    }));
    const letters = sections.map(({ letter }) => letter);
    expect(letters).toEqual([...new Set(letters)].sort());
    const indexed = [...text.matchAll(/\| ([A-Z]{1,2}) \| ([^|]+) (?=\|)/g)].map(([, letter, title]) => ({
      letter,
      title,
    }));
    expect(indexed.sort((a, b) => (a.letter ?? "").localeCompare(b.letter ?? ""))).toEqual(sections);
    let letter: string | undefined;
    const misplaced: string[] = [];
    for (const line of text.split("\n")) {
      letter = /^## ([A-Z]{1,2}) — /.exec(line)?.[1] ?? letter;
      const [, rule, itsLetter] = /^- \*\*(([A-Z]{1,2})\d+)\*\*/.exec(line) ?? [];
      if (rule && itsLetter !== letter) misplaced.push(`${rule} is in section ${letter}`);
    }
    expect(misplaced).toEqual([]);
  });

  it("every rule of docs/specification.md has a unique name and is cited by a test, and tests cite no others", async () => {
    const listed = [...page("specification.md").matchAll(/^- \*\*([A-Z]{1,2}\d+)\*\*/gm)].map(
      ([, rule]) => rule,
    );
    const rules = new Set(listed);
    expect(listed.toSorted()).toEqual([...rules].sort());
    const cited = new Set<string | undefined>();
    for (const path of await listTestFiles()) {
      const text = await readFile(join(PROJECT_DIR, path), "utf8");
      for (const [, rule] of text.matchAll(/\[([A-Z]{1,2}\d+)\]/g)) cited.add(rule);
    }
    expect([...rules].filter((rule) => !cited.has(rule))).toEqual([]);
    expect([...cited].filter((rule) => !rules.has(rule))).toEqual([]);
  });

  it("every decision has its own number, the one in its title", async () => {
    const files = await readdir(join(PROJECT_DIR, "docs/decisions"));
    const numbers = files.map((name) => Number(name.slice(0, 4)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    const titles = files.map((name) => Number.parseInt(page(`decisions/${name}`).slice(2), 10));
    expect(titles).toEqual(numbers);
  });

  it("the glossary has at most thirty words, in order", () => {
    const map = readFileSync(join(PROJECT_DIR, "ARCHITECTURE.md"), "utf8");
    const rows = (map.split("## Glossary")[1] ?? "").split("\n").filter((line) => /^\| (?!word )/.test(line));
    const words = rows.map((row) => row.split(" | ")[0]?.slice(2).toLowerCase() ?? "");
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(30);
    expect(words).toEqual(words.toSorted());
  });
});
