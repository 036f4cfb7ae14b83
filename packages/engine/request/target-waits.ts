import type { SoundTarget, TranscriptionOptions } from "../targets/engine-request.ts";
import { findRootPass, type StemPass, type TargetPlan } from "../targets/plan-targets.ts";
import { groupTranscriptions, toTranscriptionKey } from "../transcription/transcription-groups.ts";

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

  get forDecoding(): string[] {
    return [...keysOf(this.#plan.detectionPass?.targets ?? []), ...this.forSources];
  }

  /** Music is detected first. */
  get forDetection(): string[] {
    return this.forDecoding;
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
