import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const PACKAGES_DIR = join(import.meta.dirname, "../packages");
/** Entry points are named by convention. */
const ENTRY_POINTS = ["index.ts", "main.ts"];

/** The folders of network families are alike on purpose. */
const isInNetworkFamily = (path: string) => path.startsWith(join("engine", "networks"));

it("no two source files of the packages have the same name", () => {
  const paths = readdirSync(PACKAGES_DIR, { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      /\.(ts|tsx)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path) && !isInNetworkFamily(path),
  );
  const pathsByName = Map.groupBy(paths, (path) => basename(path));
  const repeated = [...pathsByName.entries()].filter(
    ([name, found]) => found.length > 1 && !ENTRY_POINTS.includes(name),
  );
  expect(paths.length).toBeGreaterThan(500);
  expect(Object.fromEntries(repeated)).toEqual({});
});
