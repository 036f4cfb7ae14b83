import { weighDetectionPass } from "../detection/detection-pass.ts";
import { RENDER_SECONDS } from "../rendering/write-sounds.ts";
import type { TargetPlan } from "../targets/plan-targets.ts";
import { weighTranscription } from "../transcription/transcribe.ts";
import { groupTranscriptions } from "../transcription/transcription-groups.ts";
import { weighVoicesPass } from "../voices/voices-pass.ts";
import { weighSources } from "./choose-sources.ts";
import type { TargetWaits } from "./target-waits.ts";

/** Measured seconds of work for each second of input; for the progress only. */
export const DECODE_SECONDS = 0.006;

/** The work until each target is done, in seconds for each second of input. */
export function weighTargets(plan: TargetPlan, waits: TargetWaits): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (weight: number, keys: readonly string[]) => {
    for (const key of keys) weights.set(key, (weights.get(key) ?? 0) + weight);
  };
  add(DECODE_SECONDS, waits.forDecoding);
  if (plan.detectionPass) add(weighDetectionPass(), waits.forDetection);
  if (plan.speechPass || plan.voicesPass) add(weighSources(), waits.forSources);
  for (const pass of plan.stemPasses) {
    add(pass.manifest.passSeconds, waits.forStemPass(pass));
    for (const { target } of pass.targets) add(RENDER_SECONDS, waits.forRender(target));
  }
  if (plan.voicesPass) add(weighVoicesPass(plan.voicesPass), waits.forVoices);
  for (const { options } of groupTranscriptions(plan.speechPass?.targets ?? []))
    add(weighTranscription(), waits.forTranscription(options));
  return weights;
}
