import { spawn } from "node:child_process";
import { once } from "node:events";

type CommandOptions = { cwd: string; env?: NodeJS.ProcessEnv };

/** Resolves with the command's output; rejects with it if the command fails. */
export async function runCommand(
  [program, ...args]: [string, ...string[]],
  options: CommandOptions,
): Promise<string> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const [exitCode] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed (${exitCode}):\n${printed}`);
  return printed;
}
