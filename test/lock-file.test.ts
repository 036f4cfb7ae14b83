import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

type Locked = { optionalDependencies?: Record<string, string>; optional?: boolean; cpu?: string[] };

it("package-lock.json names every optional package, so that npm ci takes it (npm run complete-lock adds what is missing)", async () => {
  const text = await readFile(join(import.meta.dirname, "../package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});
