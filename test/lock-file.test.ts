import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

type Locked = { optionalDependencies?: Record<string, string>; optional?: boolean; cpu?: string[] };

it.each(["package-lock.json", "test/clients/package-lock.json"])(
  "%s names every optional package, so that npm ci takes it (npm run complete-lock adds what is missing)",
  async (name) => {
    const text = await readFile(join(import.meta.dirname, "..", name), "utf8");
    const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
    const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (optional) =>
          !(`node_modules/${optional}` in packages) && !(`${parent}/node_modules/${optional}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  },
);
