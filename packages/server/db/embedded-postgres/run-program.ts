import { spawn } from "node:child_process";
import { once } from "node:events";
import { toSpawnError } from "./to-spawn-error.ts";

type ProgramResult = { exitCode: number | null; output: string };

/** PostgreSQL's programs get none of our environment: PG* variables and locales would change their behaviour. */
export const programEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

export async function runProgram(options: {
  program: string;
  args: string[];
  workingDir: string;
  ids: { uid: number; gid: number } | undefined;
  input?: string;
}): Promise<ProgramResult> {
  try {
    const child = spawn(options.program, options.args, {
      cwd: options.workingDir,
      env: programEnvironment,
      stdio: ["pipe", "pipe", "pipe"],
      ...options.ids,
    });
    // Without pipes (out of file descriptors), the check below throws before anything listens.
    child.on("error", () => {});
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    // A program that fails early closes its stdin; its exit code says more than EPIPE.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
    await once(child, "close");
    return { exitCode: child.exitCode, output };
  } catch (error) {
    throw toSpawnError(error, options.program);
  }
}
