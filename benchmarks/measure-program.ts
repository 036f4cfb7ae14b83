import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { readProcessTreeMemory } from "../packages/server/worker/health/process-tree-memory.ts";

export type ProgramFigures = { wallSeconds: number; cpuSeconds: number; peakMegabytes: number };

/** Often enough to see a peak as short as a segment, without noticeable overhead. */
const SAMPLE_EVERY_MS = 500;

/** Runs a Node program to its end and measures it with all its children; bash reports the CPU time of those that exited. */
export async function measureProgram(args: readonly string[]): Promise<ProgramFigures> {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null';
  const child = spawn("bash", ["-c", script, "bash", process.execPath, ...args], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  let peakBytes = 0;
  const sampling = setInterval(async () => {
    peakBytes = Math.max(peakBytes, await readProcessTreeMemory(child.pid ?? 0));
  }, SAMPLE_EVERY_MS);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${said}`);
  const [wallSeconds = 0, user = 0, system = 0] = (said.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number);
  return { wallSeconds, cpuSeconds: user + system, peakMegabytes: peakBytes / 1024 ** 2 };
}
