import { writeFileSync } from "node:fs";

/** What this process has used since its start. */
export function writeFigures(path: string, text: string): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    path,
    JSON.stringify({
      text,
      wallSeconds: process.uptime(),
      cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
      peakMegabytes: maxRSS / 1000,
    }),
  );
}
