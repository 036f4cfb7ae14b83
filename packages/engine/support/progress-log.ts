import type { TargetProgress } from "../targets/stage-progress.ts";

/** Records the progress reports of each target, in order. */
export function makeProgressLog() {
  const told: TargetProgress[] = [];
  return {
    onProgress: (progress: readonly TargetProgress[]) => void told.push(...progress),
    fractionsOf: (wanted: string) => told.filter(({ key }) => key === wanted).map(({ fraction }) => fraction),
    told,
  };
}
