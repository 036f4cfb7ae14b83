import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const MAIN = join(import.meta.dirname, "../../packages/server/main.ts");

/** Starting on busy cores takes a while; after this long it never will. */
const SAID_WITHIN_MS = 120_000;

export type MainProcess = {
  process: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Fails if the process exits first, or after two minutes. */
  waitFor(sign: string | RegExp): Promise<void>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** One process of the service, with only the given environment. */
export function startMain(
  args: string[],
  environment: Record<string, string>,
  mainPath: string = MAIN,
): MainProcess {
  const child = spawn(process.execPath, [mainPath, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = once(child, "close").then(([exitCode]) => exitCode as number | null);
  return {
    process: child,
    output: () => output,
    ended,
    async waitFor(sign) {
      const isSaid = () => (typeof sign === "string" ? output.includes(sign) : sign.test(output));
      const endsAtMs = performance.now() + SAID_WITHIN_MS;
      while (!isSaid()) {
        if (performance.now() > endsAtMs) throw new Error(`did not say ${sign}:\n${output}`);
        if (child.exitCode !== null) throw new Error(`ended before it said ${sign}:\n${output}`);
        await wait(20);
      }
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return await ended;
    },
  };
}
