import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";

/** Where and from which commit a figure was taken. */
export function describeRun(): string[] {
  const [cpu] = cpus();
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain", "--", "packages") === "" ? "" : ", with changes";
  return [
    `- machine: ${cpus().length} cores of ${cpu?.model.trim()}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Linux ${release()}`,
    `- load at the start: ${loadavg()[0]?.toFixed(1)}`,
    `- commit: ${git("rev-parse", "--short=12", "HEAD")}${changes}, Node ${process.version}`,
    `- date: ${new Date().toISOString().slice(0, 10)}`,
  ];
}
