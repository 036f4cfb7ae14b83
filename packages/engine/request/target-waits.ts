import { weighAnalysisPass } from "../analysis/analysis-pass.ts";
import { weighDetectionPass } from "../detection/detection-pass.ts";
import { RENDER_SECONDS } from "../rendering/write-sounds.ts";
import type { SoundTarget, TranscriptionOptions } from "../targets/engine-request.ts";
import { findRootPass, type StemPass, type TargetPlan } from "../targets/plan-targets.ts";
import { weighTranscription } from "../transcription/transcribe.ts";
import { groupTranscriptions, toTranscriptionKey } from "../transcription/transcription-groups.ts";
import { weighVoicesPass } from "../voices/voices-pass.ts";
import { weighSources } from "./choose-sources.ts";

/** Measured seconds of work for each second of input; for the progress only. */
export const DECODE_SECONDS = 0.006;

const keysOf = (targets: readonly { key: string }[]) => targets.map(({ key }) => key);

const isReadBy = (pass: StemPass, reader: StemPass): boolean =>
  reader === pass || (reader.reads !== undefined && isReadBy(pass, reader.reads.pass));

/**
 * Which targets wait for which stage. Stages run in order, except that a pass runs at the same time as the one it reads. A target is done after its own
 * stage and those before it; later stages do not matter to it.
 */
export class TargetWaits {
  /** Passes may still be added to it. */
  readonly #plan: TargetPlan;

  constructor(plan: TargetPlan) {
    this.#plan = plan;
  }

  /** The work until each target is done, in seconds for each second of input: the sum of the stages it waits for. */
  weigh(): Map<string, number> {
    const plan = this.#plan;
    const weights = new Map<string, number>();
    const add = (weight: number, keys: readonly string[]) => {
      for (const key of keys) weights.set(key, (weights.get(key) ?? 0) + weight);
    };
    add(DECODE_SECONDS, this.forDecoding);
    if (plan.detectionPass) add(weighDetectionPass(), this.forDetection);
    if (plan.analysisPass) add(weighAnalysisPass(), this.forAnalysis);
    if (plan.speechPass || plan.voicesPass) add(weighSources(), this.forSources);
    for (const pass of plan.stemPasses) {
      add(pass.manifest.passSeconds, this.forStemPass(pass));
      for (const { target } of pass.targets) add(RENDER_SECONDS, this.forRender(target));
    }
    if (plan.voicesPass) add(weighVoicesPass(plan.voicesPass), this.forVoices);
    for (const { options } of groupTranscriptions(plan.speechPass?.targets ?? []))
      add(weighTranscription(), this.forTranscription(options));
    return weights;
  }

  get forDecoding(): string[] {
    return [...keysOf(this.#plan.detectionPass?.targets ?? []), ...this.forAnalysis];
  }

  /** Music is detected first. */
  get forDetection(): string[] {
    return this.forDecoding;
  }

  get forAnalysis(): string[] {
    return [...keysOf(this.#plan.analysisPass?.targets ?? []), ...this.forSources];
  }

  get forSources(): string[] {
    const sounds = this.#plan.stemPasses.flatMap(({ targets }) => targets.map(({ target }) => target.key));
    return [...sounds, ...this.forVoices];
  }

  /** Voices are separated after the stems. */
  get forVoices(): string[] {
    return [...keysOf(this.#plan.voicesPass?.targets ?? []), ...this.#texts];
  }

  forStemPass(pass: StemPass): string[] {
    const roots = this.#plan.stemPasses.filter(({ reads }) => reads === undefined);
    const place = roots.indexOf(findRootPass(pass));
    const waiting = this.#plan.stemPasses.filter(
      (other) => isReadBy(pass, other) || roots.indexOf(findRootPass(other)) > place,
    );
    return [...waiting.flatMap(({ targets }) => targets.map(({ target }) => target.key)), ...this.forVoices];
  }

  forRender(target: SoundTarget): string[] {
    return [target.key, ...this.forVoices];
  }

  /** Transcriptions run one at a time. */
  forTranscription(options: TranscriptionOptions): string[] {
    const groups = groupTranscriptions(this.#plan.speechPass?.targets ?? []);
    const place = groups.findIndex(
      (group) => toTranscriptionKey(group.options) === toTranscriptionKey(options),
    );
    return keysOf(groups.slice(place).flatMap(({ targets }) => targets));
  }

  get #texts(): string[] {
    return keysOf(this.#plan.speechPass?.targets ?? []);
  }
}
