import { writeFileSync } from "node:fs";
import { delaySpans, findLeadSeconds } from "../targets/file-timeline.ts";
import type { DetectionPass } from "../targets/plan-targets.ts";
import type { MakeStage } from "../targets/stage-progress.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";
import { DETECT_SECONDS, type DetectionRun, detectMusic } from "./detect-music.ts";
import { writeDetection } from "./write-detection.ts";

export function weighDetectionPass(): number {
  return DETECT_SECONDS;
}

/** Detects music once and writes the regions for every target that asks for them. */
export async function runDetectionPass(
  { manifest, targets }: DetectionPass,
  run: DetectionRun & { outcomes: TargetOutcomes; makeStage: MakeStage },
): Promise<void> {
  const { outcomes, makeStage } = run;
  await outcomes.tryNetwork(targets, async () => {
    const regions = await detectMusic(manifest, { ...run, onProgress: makeStage(DETECT_SECONDS) });
    for (const target of targets) {
      await outcomes.finish(target, async () => {
        const placed = delaySpans(regions, findLeadSeconds(target, run.input.info));
        for (const { format, path } of target.files) writeFileSync(path, writeDetection(placed, format));
      });
    }
  });
}
