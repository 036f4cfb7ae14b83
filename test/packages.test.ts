import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPackages, PACKAGES } from "../scripts/release/build-packages.ts";
import { checkPackage } from "../scripts/release/check-package.ts";
import { makeTempDir } from "./support/temp-dir.ts";

let dir: string;
let folders: Awaited<ReturnType<typeof buildPackages>>;
beforeAll(async () => {
  // Next to the sources, so that built code finds its dependencies.
  dir = await makeTempDir("packages");
  folders = await buildPackages(join(dir, "packages"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const read = (path: string) => readFile(path, "utf8");
const list = (folder: string) => readdir(folder, { recursive: true });

describe("the packages as published", () => {
  it.each(PACKAGES)("[S20] publint has nothing to say about %s", async (name) => {
    expect(await checkPackage(folders[name])).toEqual([]);
  });

  it.each(PACKAGES)("[S20] %s holds no TypeScript and no test, and imports none", async (name) => {
    for (const path of await list(folders[name])) {
      expect(path).not.toMatch(/(?<!\.d)\.ts$|\.test\.|(^|\/)support\//);
      if (/\.(js|d\.ts)$/.test(path))
        expect(await read(join(folders[name], path)), path).not.toMatch(/(from |import\()"\.[^"]*\.ts"/);
    }
  });

  it("[S20] the engine contains every manifest and our networks, the server its migrations", async () => {
    const data = join(folders.engine, "data");
    const manifests = await readdir(join(import.meta.dirname, "../models"));
    expect(await readdir(join(data, "models"))).toEqual(manifests);
    for (const manifest of manifests) {
      const text = await read(join(data, "models", manifest));
      for (const [, path = ""] of text.matchAll(/"file": "(\.\.\/weights[^"]+)"/g))
        expect((await read(join(data, "models", path))).length).toBeGreaterThan(0);
    }
    const listSql = async (dir: string) => (await readdir(dir)).filter((name) => name.endsWith(".sql"));
    for (const dir of ["db/schema", "db/migrations"])
      expect(await listSql(join(folders.server, dir))).toEqual(
        await listSql(join(import.meta.dirname, "../packages/server", dir)),
      );
  });

  it("[S20] the SDK and its types depend on nothing", async () => {
    expect(JSON.parse(await read(join(folders.sdk, "package.json")))).not.toHaveProperty("dependencies");
    for (const path of await list(folders.sdk))
      if (path.endsWith(".d.ts"))
        expect(await read(join(folders.sdk, path)), path).not.toMatch(/from "(?!\.|node:)/);
    const types = await read(join(folders.sdk, "contract-types.d.ts"));
    expect(types).toMatch(/^export type Task = \{$/m);
    expect(types).not.toMatch(/\bany\b|zod/);
  });
});
