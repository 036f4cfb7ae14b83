import { appendFile, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { buildDashboard } from "./build-dashboard.ts";

const DASHBOARD_DIR = join(import.meta.dirname, "..");
/** Inside the project, so that packages are found, and ignored by git. */
const SCRATCH_DIR = join(DASHBOARD_DIR, "..", "..", ".data");

describe("building the pages", () => {
  let copyDir: string;
  let build: typeof buildDashboard;
  let first: string;
  beforeAll(async () => {
    await mkdir(SCRATCH_DIR, { recursive: true });
    copyDir = await mkdtemp(join(SCRATCH_DIR, "dashboard-"));
    const isSource = (path: string) => !["dist", "node_modules"].includes(basename(path));
    await cp(DASHBOARD_DIR, copyDir, { recursive: true, filter: isSource });
    const url = pathToFileURL(join(copyDir, "build", "build-dashboard.ts")).href;
    ({ buildDashboard: build } = (await import(/* @vite-ignore */ url)) as {
      buildDashboard: typeof buildDashboard;
    });
    first = await build();
  });
  afterAll(() => rm(copyDir, { recursive: true, force: true }));

  it("[PG3] [PG4] builds one page, with precompressed files", async () => {
    expect(await readdir(first)).toContain("index.html");
    const files = await readdir(join(first, "app", "assets"));
    const scripts = files.filter((name) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(3);
    for (const name of scripts) expect(files).toEqual(expect.arrayContaining([`${name}.br`, `${name}.gz`]));
  });

  it("[PG4] builds nothing while no source changed, tests and other documents aside", async () => {
    const { mtimeMs } = await stat(join(first, "index.html"));
    await writeFile(join(copyDir, "parts", "x.test.ts"), "nothing");
    expect(await build()).toBe(first);
    expect((await stat(join(first, "index.html"))).mtimeMs).toBe(mtimeMs);
  });

  it("[PG4] builds again when a source changed, and keeps only the latest build", async () => {
    await appendFile(join(copyDir, "main.tsx"), "\n// changed\n");
    const second = await build();
    expect(second).not.toBe(first);
    expect(await readdir(join(copyDir, "dist"))).toEqual([basename(second)]);
  });

  it("[PG4] reports a source that can't be built by name, and leaves nothing behind", async () => {
    const before = await readdir(join(copyDir, "dist"));
    await appendFile(join(copyDir, "main.tsx"), "\nconst = 1;\n");
    await expect(build()).rejects.toThrow(/main\.tsx/);
    expect(await readdir(join(copyDir, "dist"))).toEqual(before);
  });
});
