import type { SoundTarget } from "./engine-request.ts";
import type { StemPass, TargetPlan } from "./plan-targets.ts";

const keysOf = (targets: readonly { key: string }[]) => targets.map(({ key }) => key);

/** The pass that runs by itself, which a pass runs beside if it hears it, or hears one that does. */
const findRoot = (pass: StemPass): StemPass => (pass.hears ? findRoot(pass.hears.pass) : pass);

const isHeardBy = (pass: StemPass, hearer: StemPass): boolean =>
  hearer === pass || (hearer.hears !== undefined && isHeardBy(pass, hearer.hears.pass));

/**
 * Which targets wait for which stage of the work. Stages come one after the other, but for passes that hear another and run beside it: a
 * target is done when its own stage is, and those before it; those behind it are nothing to it.
 */
export class TargetWaits {
  /** Passes may still join it. */
  readonly #plan: TargetPlan;

  constructor(plan: TargetPlan) {
    this.#plan = plan;
  }

  get forDecoding(): string[] {
    return [...keysOf(this.#plan.detectionPass?.targets ?? []), ...this.forSpeechSource];
  }

  /** Listening for music comes first. */
  get forDetection(): string[] {
    return this.forDecoding;
  }

  get forSpeechSource(): string[] {
    const sounds = this.#plan.stemPasses.flatMap(({ targets }) => targets.map(({ target }) => target.key));
    return [...sounds, ...this.#texts];
  }

  forStemPass(pass: StemPass): string[] {
    const roots = this.#plan.stemPasses.filter(({ hears }) => hears === undefined);
    const place = roots.indexOf(findRoot(pass));
    const waiting = this.#plan.stemPasses.filter(
      (other) => isHeardBy(pass, other) || roots.indexOf(findRoot(other)) > place,
    );
    return [...waiting.flatMap(({ targets }) => targets.map(({ target }) => target.key)), ...this.#texts];
  }

  forRender(target: SoundTarget): string[] {
    return [target.key, ...this.#texts];
  }

  /** Languages are heard one after the other. */
  forLanguage(language: string | undefined): string[] {
    const targets = this.#plan.speechPass?.targets ?? [];
    const languages = listLanguages(targets);
    const place = languages.indexOf(language);
    return keysOf(targets.filter((target) => languages.indexOf(target.language) >= place));
  }

  get #texts(): string[] {
    return keysOf(this.#plan.speechPass?.targets ?? []);
  }
}

/** The languages that are asked for, in the order in which they are heard; undefined where it is to be found out. */
export function listLanguages(targets: readonly { language?: string }[]): (string | undefined)[] {
  return [...new Set(targets.map(({ language }) => language))];
}
