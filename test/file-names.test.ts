import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const PACKAGES_DIR = join(import.meta.dirname, "../packages");
/** Entry points are named by convention. */
const ENTRY_POINTS = ["index.ts", "main.ts"];

const SOURCES = readdirSync(PACKAGES_DIR, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.(ts|tsx)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path),
);

/** The folders of network families have files of the same names on purpose. */
const isInNetworkFamily = (path: string) => path.startsWith(join("engine", "networks"));

/** Names that are exported twice because both mean the same thing, in two places that must not import each other. */
const SAME_THING: Readonly<Record<string, string>> = {
  ApiError: "thrown by the API, and by the SDK when it is answered with one",
  INPUT_TRACK: "the engine writes it, pages read it",
  PreviewShape: "written by the engine, stored by the service",
  SpanId: "named by the engine, stored by the service",
  TimedLine: "in the engine, and on the wire",
  TimedWord: "in the engine, and on the wire",
  WordsLine: "in the service, and in the editor",
  buildWhole: "each family's network as one graph, for GPUs",
  cancelTask: "the command, and what the API does",
  countChunks: "of a PreviewShape",
  findSessionCaller: "of a request, and of a token in the database",
  listTasks: "the command, and what the API does",
  me: "the schema, and who is signed in",
  platform: "of browsers, and of Node",
  toSoundFormats: "in the command, and in the service",
};

/** `db/` implements the domain's ports on PostgreSQL and names its functions after the operations. */
const isDomainAndDatabase = (paths: readonly string[]) =>
  paths.length === 2 &&
  paths.some((path) => path.startsWith(join("server", "db"))) &&
  paths.some((path) => /^server\/(domain|worker)\//.test(path));

const listExportedNames = (path: string) =>
  [
    ...readFileSync(join(PACKAGES_DIR, path), "utf8").matchAll(
      /^export (?:async |abstract |default )*(?:const|let|class|function\*?|type|interface) (\w+)/gm,
    ),
  ].map(([, name = ""]) => name);

it("no two source files of the packages have the same name", () => {
  const paths = SOURCES.filter((path) => !isInNetworkFamily(path));
  const pathsByName = Map.groupBy(paths, (path) => basename(path));
  const repeated = [...pathsByName.entries()].filter(
    ([name, found]) => found.length > 1 && !ENTRY_POINTS.includes(name),
  );
  expect(paths.length).toBeGreaterThan(500);
  expect(Object.fromEntries(repeated)).toEqual({});
});

it("an exported name has one meaning in all packages", () => {
  const pathsByName = new Map<string, Set<string>>();
  for (const path of SOURCES.filter((source) => !source.includes(".test.")))
    for (const name of listExportedNames(path))
      pathsByName.set(name, (pathsByName.get(name) ?? new Set()).add(path));
  const repeated = [...pathsByName].flatMap(([name, paths]) =>
    paths.size > 1 ? [{ name, paths: [...paths] }] : [],
  );
  const unexplained = repeated.filter(
    ({ name, paths }) => !(name in SAME_THING) && !isDomainAndDatabase(paths),
  );
  expect(pathsByName.size).toBeGreaterThan(2000);
  expect(unexplained).toEqual([]);
  expect(Object.keys(SAME_THING).filter((name) => (pathsByName.get(name)?.size ?? 0) < 2)).toEqual([]);
});
