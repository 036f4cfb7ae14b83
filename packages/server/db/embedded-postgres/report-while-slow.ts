const firstReportMs = 1_500;
const nextReportMs = 5_000;

/** Runs `work`; if it takes longer than a moment, reports that, repeatedly. */
export async function reportWhileSlow<Result>(
  { message, onProgress }: { message: string; onProgress: ((message: string) => void) | undefined },
  work: () => Promise<Result>,
): Promise<Result> {
  if (onProgress === undefined) return work();
  const startedMs = performance.now();
  const report = () => {
    const elapsedSeconds = Math.round((performance.now() - startedMs) / 1000);
    onProgress(`${message} (${elapsedSeconds} s)`);
    timer = setTimeout(report, nextReportMs);
  };
  let timer = setTimeout(report, firstReportMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
