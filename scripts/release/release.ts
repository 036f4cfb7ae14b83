// `npm run release`: builds the packages as published, checks them, and uses them the way a newcomer would.
import { mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { buildPackages, PROJECT_DIR } from "./build-packages.ts";
import { checkPackage, checkTypes } from "./check-package.ts";
import { runCommand } from "./run-command.ts";
import { tryPackages } from "./try-packages.ts";

const DIST_DIR = join(PROJECT_DIR, "dist");
const TARBALLS_DIR = join(DIST_DIR, "tarballs");

const step = (title: string) => console.log(`— ${title}`);

step("build");
const folders = await buildPackages(join(DIST_DIR, "packages"));
await rm(TARBALLS_DIR, { recursive: true, force: true });
await mkdir(TARBALLS_DIR, { recursive: true });
const tarballs: string[] = [];
for (const [name, folder] of Object.entries(folders)) {
  step(`check ${name}`);
  const problems = await checkPackage(folder);
  if (problems.length > 0) throw new Error(`publint: ${name}: ${problems.join("; ")}`);
  const packed = await runCommand(["npm", "pack", "--json", "--pack-destination", TARBALLS_DIR], {
    cwd: folder,
  });
  const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
  tarballs.push(join(TARBALLS_DIR, filename));
  if (name !== "cli") await checkTypes(join(TARBALLS_DIR, filename));
  console.log(`  ${filename}  ${(size / 1e3).toFixed(0)} KB`);
}
// Images are built from the tarballs, and tested separately.
if (!process.argv.includes("--pack-only")) await tryPackages(tarballs, step);
console.log(
  `\nReady to publish, in this order:\n${tarballs.map((path) => `  npm publish ${relative(PROJECT_DIR, path)}`).join("\n")}`,
);
