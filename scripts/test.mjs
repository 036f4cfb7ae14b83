// Runs on whatever Node the machine has, before anything is installed; so plain JavaScript.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const run = (title, command, args) => {
  console.log(`\n— ${title}`);
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

/** npm keeps a copy of the lock file of what it installed. */
const isInstalled = () => {
  const installed = "node_modules/.package-lock.json";
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const present = JSON.parse(readFileSync(installed, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === "" || optional || link || present[path]?.version === version,
  );
};

// Not `npm ci`: it asks the lock file for packages of platforms this project does not run on.
if (!isInstalled()) run("install", "npm", ["install"]);
// Their scripts begin with use-node.sh, so these run on the Node the project brings.
run("lint", "npm", ["run", "--silent", "lint"]);
run("types", "npm", ["run", "--silent", "types"]);
run("tests", "npm", ["run", "--silent", "unit"]);
