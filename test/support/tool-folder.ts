import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { makeTempDir } from "./temp-dir.ts";

const TOOLS_DIR = join(import.meta.dirname, "../clients/node_modules");

/** A folder in which programs find the packages next to these tests. */
export async function makeToolFolder(): Promise<string> {
  const folder = await makeTempDir("clients");
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(TOOLS_DIR, join(folder, "node_modules"));
  return folder;
}

/** Runs a program of the packages next to these tests; `node` and paths are used unchanged. */
export async function runTool(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<{ exitCode: number; output: string }> {
  const path = program === "node" || program.includes("/") ? program : join(TOOLS_DIR, ".bin", program);
  const child = spawn(path === "node" ? process.execPath : path, args, {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { exitCode: exitCode as number, output: stdout + stderr };
}
