import { spawn } from "node:child_process";
import { toSpawnError } from "./to-spawn-error.ts";

type ProgramResult = { exitCode: number | null; output: string };

/** PostgreSQL's programs see nothing of our environment: PG* variables and locales would change what they do. */
export const programEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

export function runProgram(options: {
  program: string;
  args: string[];
  workingDir: string;
  ids: { uid: number; gid: number } | undefined;
  input?: string;
}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.program, options.args, {
      cwd: options.workingDir,
      env: programEnvironment,
      stdio: ["pipe", "pipe", "pipe"],
      ...options.ids,
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", (error) => reject(toSpawnError(error, options.program)));
    child.on("close", (exitCode) => resolve({ exitCode, output }));
    // A program that fails early closes its input; its exit code says more than EPIPE.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
  });
}
