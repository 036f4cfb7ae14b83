import { findLikeliest, type LanguageProbabilities } from "../../networks/whisper/language-probabilities.ts";

/** A window in another language than the rest must be this sure of it, the surer the shorter it is. */
const OTHER_LANGUAGE_MIN = 0.6;
const SHORT_SECONDS = 5;
const OTHER_LANGUAGE_SHORT_MIN = 0.9;

/** What a recording sounded like so far: the sum over its windows, by seconds of speech. */
export class LanguageTally {
  readonly #seconds = new Map<string, number>();
  #total = 0;

  add(heard: LanguageProbabilities, seconds: number): void {
    for (const [language, probability] of heard) {
      this.#seconds.set(language, (this.#seconds.get(language) ?? 0) + probability * seconds);
    }
    this.#total += seconds;
  }

  get main(): { language: string; confidence: number } {
    const { language, probability } = findLikeliest(this.#seconds);
    return { language, confidence: this.#total === 0 ? 0 : probability / this.#total };
  }

  /** The language of a window: the recording's, unless the window is sure of another. */
  choose(heard: LanguageProbabilities, seconds: number): string {
    const own = findLikeliest(heard);
    const least = seconds < SHORT_SECONDS ? OTHER_LANGUAGE_SHORT_MIN : OTHER_LANGUAGE_MIN;
    return own.probability >= least ? own.language : this.main.language;
  }
}
