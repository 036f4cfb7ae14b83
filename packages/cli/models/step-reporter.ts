import { formatBar } from "../work/reporter.ts";

const CLEAR_LINE = "\r\u001b[2K";
const REDRAW_MS = 100;

/** A bar on a terminal; elsewhere a line when the step begins. */
export function makeStepReporter(step: string): { progress(fraction: number): void; end(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) {
    stderr.write(`${step}\n`);
    return { progress() {}, end() {} };
  }
  let drawnMs = 0;
  return {
    progress(fraction) {
      const nowMs = performance.now();
      if (nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      stderr.write(`${CLEAR_LINE}${step}  ${formatBar({ fraction: Math.min(1, fraction) })}`);
    },
    end: () => void stderr.write(CLEAR_LINE),
  };
}
