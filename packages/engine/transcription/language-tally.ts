import { findLikeliest, type LanguageProbabilities } from "../networks/whisper/language-probabilities.ts";
import type { SpokenWindow } from "./spoken-window.ts";

/** How sure a window must be of another language than the rest; shorter windows must be surer. */
const MIN_OTHER_LANGUAGE = 0.6;
const SHORT_SECONDS = 5;
const MIN_OTHER_LANGUAGE_SHORT = 0.9;

/** Language probabilities of a recording so far, summed over its windows and weighted by seconds of speech. */
export class LanguageTally {
  readonly #seconds = new Map<string, number>();
  #total = 0;

  add(probabilities: LanguageProbabilities, seconds: number): void {
    for (const [language, probability] of probabilities) {
      this.#seconds.set(language, (this.#seconds.get(language) ?? 0) + probability * seconds);
    }
    this.#total += seconds;
  }

  get main(): { language: string; confidence: number } {
    const { language, probability } = findLikeliest(this.#seconds);
    return { language, confidence: this.#total === 0 ? 0 : probability / this.#total };
  }

  /** The language of a window: the recording's, unless the window is sure of another. */
  choose(probabilities: LanguageProbabilities, seconds: number): string {
    const own = findLikeliest(probabilities);
    const least = seconds < SHORT_SECONDS ? MIN_OTHER_LANGUAGE_SHORT : MIN_OTHER_LANGUAGE;
    return own.probability >= least ? own.language : this.main.language;
  }
}

export function makeTally(windows: readonly SpokenWindow[]): LanguageTally {
  const tally = new LanguageTally();
  for (const { languages, speechSeconds, words } of windows) {
    if (words.length > 0) tally.add(new Map(languages), speechSeconds);
  }
  return tally;
}
