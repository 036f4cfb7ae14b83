import { writeFileSync } from "node:fs";

export type Figures = {
  text: string;
  cpuSeconds: number;
  peakMegabytes: number;
  /** Memory at each tenth of the work, if the program reports it. */
  memory?: { fraction: number; megabytes: number }[];
};

/** Resources used by this process since its start. */
export function writeFigures(path: string, result: Pick<Figures, "text" | "memory">): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const figures: Figures = {
    ...result,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMegabytes: maxRSS / 1000,
  };
  writeFileSync(path, JSON.stringify(figures));
}
