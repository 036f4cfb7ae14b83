#!/usr/bin/env node
// Runs on any Node since 18: where that is too old for the engine, the Node that comes with the package takes over.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NODE_MIN = 24;
const own = fileURLToPath(import.meta.url);

/** npm leaves the package out where it was told to install nothing optional. */
function findOwnNode() {
  try {
    const manifest = createRequire(own).resolve(`node-linux-${process.arch}/package.json`);
    return join(dirname(manifest), "bin/node");
  } catch {
    return undefined;
  }
}

if (Number(process.versions.node.split(".")[0]) >= NODE_MIN) {
  // TypeScript in a checkout, JavaScript in the published package.
  const main = existsSync(join(dirname(own), "main.ts")) ? "./main.ts" : "./main.js";
  await import(main);
} else {
  const node = findOwnNode();
  if (node === undefined) {
    process.stderr.write(
      `stemwright needs Node ${NODE_MIN} or later; this is ${process.version}. Install a newer one, or reinstall stemwright with its optional packages.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [own, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
