const STEPS_SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
const LABEL_PX = 80;

/** Round times within a range, as far apart as their labels need. */
export function listTicks(startSeconds: number, endSeconds: number, widthPx: number): number[] {
  const least = ((endSeconds - startSeconds) * LABEL_PX) / Math.max(1, widthPx);
  const step = STEPS_SECONDS.find((each) => each >= least) ?? 7200;
  const first = Math.ceil(startSeconds / step - 1e-9);
  const last = Math.floor(endSeconds / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) =>
    Number(((first + n) * step).toFixed(1)),
  );
}
