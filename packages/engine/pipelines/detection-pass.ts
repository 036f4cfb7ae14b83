import { writeFileSync } from "node:fs";
import { detectMusic } from "./detect-music.ts";
import { finishTarget, type InputRun, tryNetwork } from "./input-run.ts";
import type { DetectionPass } from "./plan-targets.ts";
import { writeDetection } from "./write-detection.ts";

/** A second of the input in seconds of the machine, as measured; for the progress only. */
const DETECT_SECONDS = 0.01;

export function weighDetectionPass(): number {
  return DETECT_SECONDS;
}

/** Listens for music once and writes it down for every target that asks. */
export async function runDetectionPass(run: InputRun, { manifest, targets }: DetectionPass): Promise<void> {
  await tryNetwork(run, targets, async () => {
    const regions = await detectMusic(
      run,
      manifest,
      run.progress.makeStage(DETECT_SECONDS, run.waits.forDetection),
    );
    for (const target of targets) {
      await finishTarget(run, target, async () => {
        for (const { format, path } of target.files) writeFileSync(path, writeDetection(regions, format));
      });
    }
  });
}
