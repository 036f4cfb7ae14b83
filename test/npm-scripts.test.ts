import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempDir } from "./support/temp-dir.ts";

const PROJECT_DIR = join(import.meta.dirname, "..");
const USE_NODE = ". ./scripts/use-node.sh && ";

it("[S29] npm's scripts run on the project's own Node, whatever npm has linked", async () => {
  const { scripts } = JSON.parse(await readFile(join(PROJECT_DIR, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  // `npm test` installs it first.
  const others = Object.entries(scripts).filter(([name]) => name !== "test");
  expect(others.filter(([, command]) => !command.startsWith(USE_NODE))).toEqual([]);
  const folder = await makeTempDir("npm-scripts");
  // As an older npm leaves it: the packages, but no node_modules/.bin/node.
  const packageName = `node-linux-${process.arch}`;
  await mkdir(join(folder, "node_modules"));
  await symlink(join(PROJECT_DIR, "node_modules", packageName), join(folder, "node_modules", packageName));
  await symlink(join(PROJECT_DIR, "scripts"), join(folder, "scripts"));
  const printed = execFileSync("sh", ["-c", `${USE_NODE}node --version`], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
    encoding: "utf8",
  });
  await rm(folder, { recursive: true });
  expect(printed).toMatch(/^v24\./);
});
