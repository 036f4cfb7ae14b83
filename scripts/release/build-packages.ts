import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { buildDashboard } from "@stemwright/dashboard/build";
import { runCommand } from "./run-command.ts";
import { type PackageManifest, toPublishedManifest } from "./to-published-manifest.ts";
import { writeContractTypes } from "./write-contract-types.ts";

export const PROJECT_DIR = join(import.meta.dirname, "../..");
/** In the order of their dependencies. */
export const PACKAGES = ["contract", "engine", "sdk", "dashboard", "server", "cli"] as const;
type PackageName = (typeof PACKAGES)[number];

const CODE = ["**/*.js", "**/*.d.ts"];
/** What each package contains besides code. */
const OTHER_FILES: Record<PackageName, readonly string[]> = {
  contract: [],
  engine: ["data/**"],
  sdk: [],
  dashboard: ["dist/**"],
  server: ["db/migrations/*.sql", "db/schema/*.sql"],
  cli: ["stemwright.mjs"],
};

/** Emits the packages as they are published into `distDir`, one folder each; development uses the sources. */
export async function buildPackages(distDir: string): Promise<Record<PackageName, string>> {
  await rm(distDir, { recursive: true, force: true });
  const build = join(PROJECT_DIR, "tsconfig.build.json");
  await runCommand(["npx", "tsc", "-p", build, "--outDir", distDir], { cwd: PROJECT_DIR });
  for (const name of PACKAGES) await completePackage(distDir, name);
  await freeSdkOfContract(distDir);
  await copyPages(join(distDir, "dashboard"));
  const folders = PACKAGES.map((name) => [name, join(distDir, name)]);
  return Object.fromEntries(folders);
}

async function completePackage(distDir: string, name: PackageName): Promise<void> {
  const sourceDir = join(PROJECT_DIR, "packages", name);
  const packageDir = join(distDir, name);
  await rewriteDeclarations(packageDir);
  for (const file of ["LICENSE", "NOTICE.md"]) await cp(join(PROJECT_DIR, file), join(packageDir, file));
  for (const pattern of OTHER_FILES[name].filter((one) => !one.endsWith("/**"))) {
    const { dir, ending } = splitPattern(pattern);
    for (const file of await readdir(join(sourceDir, dir)))
      if (file.endsWith(ending)) await copyInto(join(sourceDir, dir, file), join(packageDir, dir, file));
  }
  await copyInto(join(sourceDir, "README.md"), join(packageDir, "README.md"));
  if (name === "engine") await copyEngineData(join(packageDir, "data"));
  const manifest = JSON.parse(await readFile(join(sourceDir, "package.json"), "utf8")) as PackageManifest;
  const published = toPublishedManifest(manifest, [...CODE, ...OTHER_FILES[name], "NOTICE.md"]);
  await writeFile(join(packageDir, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

function splitPattern(pattern: string): { dir: string; ending: string } {
  return { dir: dirname(pattern), ending: basename(pattern).replace("*", "") };
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

/** The manifests, and the networks in `weights/` without the records of their training. */
async function copyEngineData(dataDir: string): Promise<void> {
  await cp(join(PROJECT_DIR, "models"), join(dataDir, "models"), { recursive: true });
  for (const manifest of await readdir(join(PROJECT_DIR, "models"))) {
    const text = await readFile(join(PROJECT_DIR, "models", manifest), "utf8");
    for (const [, path = ""] of text.matchAll(/"file": "\.\.\/(weights\/[^"]+)"/g)) {
      await copyInto(join(PROJECT_DIR, path), join(dataDir, path));
      await copyInto(
        join(PROJECT_DIR, dirname(path), "README.md"),
        join(dataDir, dirname(path), "README.md"),
      );
    }
  }
}

/** The built pages, as served. A package without sources uses them unchanged. */
async function copyPages(packageDir: string): Promise<void> {
  const built = await buildDashboard();
  await cp(built, join(packageDir, "dist", basename(built)), { recursive: true });
  for (const name of ["vite-build.js", "vite-build.d.ts"]) await rm(join(packageDir, "build", name));
  const path = join(packageDir, "package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as PackageManifest;
  // All but the SDK is compiled in.
  const dependencies = { "@stemwright/sdk": manifest.version };
  await writeFile(path, `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
}

/** The compiler rewrites `.ts` in the imports of JavaScript, not in those of declarations. */
async function rewriteDeclarations(folder: string): Promise<void> {
  for (const file of await listFiles(folder, ".d.ts")) {
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/((?:from |import\()"\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'));
  }
}

async function listFiles(folder: string, ending: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths.filter((path) => path.endsWith(ending)).map((path) => join(folder, path));
}

/** The SDK has no dependencies, and none for its types either. */
async function freeSdkOfContract(distDir: string): Promise<void> {
  const sdkDir = join(distDir, "sdk");
  const names = new Set<string>();
  for (const file of await listFiles(sdkDir, ".d.ts")) {
    const text = await readFile(file, "utf8");
    for (const [, list = ""] of text.matchAll(/\{([^{}]*)\} from "@stemwright\/contract"/g))
      for (const name of list.split(",")) names.add(name.trim().split(" as ")[0] ?? "");
    const depth = file.slice(sdkDir.length + 1).split("/").length - 1;
    const local = `${depth === 0 ? "./" : "../".repeat(depth)}contract-types.js`;
    await writeFile(file, text.replaceAll('"@stemwright/contract"', `"${local}"`));
  }
  names.delete("");
  const path = join(sdkDir, "contract-types.d.ts");
  await writeContractTypes({ projectDir: PROJECT_DIR, names: [...names].sort(), path });
  await writeFile(path.replace(/\.d\.ts$/, ".js"), "export {};\n");
}
