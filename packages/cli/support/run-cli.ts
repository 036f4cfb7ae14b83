import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";

const PROGRAM = join(import.meta.dirname, "../stemwright.mjs");

export type CliRun = { exitCode: number; stdout: string; stderr: string; content: Buffer };
export type CliOptions = { cwd: string; env?: Record<string, string>; stdinPath?: string };

/** The command as a user runs it, with nothing of this environment but the PATH. */
export function startCli(args: readonly string[], { cwd, env = {}, stdinPath }: CliOptions) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, XDG_CACHE_HOME: join(cwd, ".cache"), ...env },
  });
  if (stdinPath === undefined) child.stdin.end();
  else createReadStream(stdinPath).pipe(child.stdin);
  const chunks: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const content = () => Buffer.concat(chunks);
  const ended = once(child, "close").then(
    ([exitCode]): CliRun => ({
      exitCode: exitCode as number,
      stdout: content().toString(),
      stderr,
      content: content(),
    }),
  );
  return { child, ended, stdout: () => content().toString(), stderr: () => stderr };
}

export const runCli = (args: readonly string[], options: CliOptions) => startCli(args, options).ended;
